// One kept-alive connection to the labelling server: it sends request after request with little work, so
// that the server is measured and not this program.
import net from "node:net";

export class Connection {
  constructor(url) {
    const { hostname, port, host } = new URL(url);
    Object.assign(this, { hostname, port: Number(port), host, socket: null, waiting: null });
  }

  /// The response's status, head and body; rejects if the connection breaks.
  async ask(method, path, token, body = "") {
    if (!this.socket) await this.open();
    const content = body
      ? `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
      : "";
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${this.host}\r\n`;
    const bearer = `Authorization: Bearer ${token}\r\n`;
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject, pieces: [], bytes: 0, head: "", length: -1, start: 0 };
      this.socket.write(`${head}${bearer}${content}\r\n${body}`);
    });
  }

  close() {
    this.socket?.destroy();
    this.socket = null;
  }

  open() {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ host: this.hostname, port: this.port, noDelay: true });
      socket.once("connect", () => {
        this.socket = socket;
        resolve();
      });
      socket.on("data", (piece) => this.take(piece));
      const broken = (error) => {
        if (this.socket === socket) this.socket = null;
        const failure = error ?? new Error("closed");
        reject(failure);
        const waiting = this.waiting;
        this.waiting = null;
        waiting?.reject(failure);
      };
      socket.on("error", broken);
      socket.on("close", () => broken());
    });
  }

  take(piece) {
    const now = this.waiting;
    if (!now) return this.close(); // unexpected data without a request
    now.pieces.push(piece);
    now.bytes += piece.length;
    if (now.length < 0) {
      const start = now.pieces.length === 1 ? piece : Buffer.concat(now.pieces);
      const end = start.indexOf("\r\n\r\n");
      if (end < 0) return;
      now.head = start.toString("latin1", 0, end);
      now.start = end + 4;
      now.length = Number(/\r\ncontent-length: *(\d+)/i.exec(now.head)?.[1] ?? 0);
    }
    if (now.bytes < now.start + now.length) return;
    this.waiting = null;
    if (/\r\nconnection: *close/i.test(now.head)) this.close();
    const whole = now.pieces.length === 1 ? now.pieces[0] : Buffer.concat(now.pieces);
    const status = Number(now.head.slice(9, 12));
    now.resolve({ status, head: now.head, body: whole.subarray(now.start) });
  }
}
