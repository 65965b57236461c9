#!/usr/bin/env node
// Many annotators at once with `assay serve`. Measures throughput, latency and memory, and checks that every
// answer that was acknowledged is kept exactly once.
// Meanwhile, an organiser's page asks for the status every two seconds.
// usage: bench/serve_annotators.mjs ASSAY IMAGES [--annotators 500] [--seconds 60] [--think 0.5]
//          [--kill 0] [--labels 40] [--votes 5] [--work FOLDER]
//   IMAGES   a folder of images, which may have subfolders: DATA/imagenet_sample
//   --think  seconds that an annotator looks at an image; 0 measures throughput
//   --kill   how often the server is killed (SIGKILL) and restarted during the run
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Connection } from "./serve_client.mjs";

const text = (value) => ({ type: "string", default: String(value) });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    annotators: text(500),
    seconds: text(60),
    think: text(0.5),
    kill: text(0),
    labels: text(40),
    votes: text(5),
    work: text(""),
  },
});
if (positionals.length !== 2) {
  console.error("usage: bench/serve_annotators.mjs ASSAY IMAGES [options]");
  process.exit(2);
}
const assay = resolve(positionals[0]);
const images = resolve(positionals[1]);
const option = Object.fromEntries(
  ["annotators", "seconds", "think", "kill", "labels", "votes"].map((k) => [k, Number(values[k])]),
);
const work = values.work || mkdtempSync(join(tmpdir(), "serve-annotators-"));
const study = join(work, "study");
const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

function writeQuestions() {
  const files = readdirSync(images, { recursive: true }).filter((name) =>
    /\.(jpe?g|png|webp)$/i.test(name),
  );
  let csv = "item,label\n";
  for (let label = 0; label < option.labels; ++label) {
    for (const file of files) csv += `"${file}",label ${label}\n`;
  }
  writeFileSync(join(work, "questions.csv"), csv);
  return files.length * option.labels;
}

/// The running server. A restarted server has the same port.
const server = { process: null, url: "", port: 0, organiser: "" };
async function start() {
  const args = ["serve", "--questions", join(work, "questions.csv"), "--images", images];
  args.push("--out", study, "--votes", String(option.votes));
  args.push("--port", String(server.port), "--format", "json");
  const child = spawn(assay, args, { stdio: ["ignore", "pipe", "inherit"] });
  server.process = child;
  let said = "";
  await new Promise((done, failed) => {
    child.once("exit", (code) => failed(new Error(`the server ended: ${code}`)));
    child.stdout.on("data", (piece) => {
      said += piece;
      const link = /(http:\/\/[^"\s/]+)\/organiser#([\w.~-]+)/.exec(said);
      if (!link) return;
      [, server.url, server.organiser] = link;
      server.port = Number(new URL(server.url).port);
      done();
    });
  });
}

function stop(signal) {
  const ended = new Promise((done) => server.process.once("exit", done));
  server.process.kill(signal);
  return ended;
}

/// Memory in MB and processor seconds of the server so far.
function usage() {
  const proc = `/proc/${server.process.pid}`;
  const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`${proc}/status`, "utf8"))[1]) / 1024;
  const fields = readFileSync(`${proc}/stat`, "utf8").split(") ")[1].split(" ");
  return { memory, seconds: (Number(fields[11]) + Number(fields[12])) / 100 };
}

const times = { work: [], image: [], status: [] };
const counts = { acknowledged: 0, repeated: 0, refused: 0, slower: 0, broken: 0, none: 0 };
const given = new Map(); // "annotator question" -> answer, after it was acknowledged
const sent = new Map(); // "annotator question" -> answer, after it was sent
let over = false;
let outage = false;

/// Repeats the request until it is answered, also after a restart of the server or a reply "later".
async function patiently(connection, kind, ask) {
  for (;;) {
    const begun = performance.now();
    try {
      const reply = await ask();
      if (reply.status !== 429 && reply.status !== 503) {
        if (!outage) times[kind].push(performance.now() - begun);
        return reply;
      }
      ++counts.slower;
      await sleep(Number(/\r\nretry-after: *(\d+)/i.exec(reply.head)?.[1] ?? 1));
    } catch {
      ++counts.broken;
      connection.close();
      await sleep(0.05 + 0.1 * Math.random());
    }
  }
}

async function annotate(person, number) {
  const connection = new Connection(server.url);
  const token = person.link.split("#")[1];
  const held = [];
  let answers = [];
  let keys = 0;
  await sleep(Math.max(0.2, option.think) * Math.random());
  for (;;) {
    const holding = held.map((screen) => screen.screen);
    const wanted = over ? 0 : 4 - held.length;
    const body = JSON.stringify({ given: answers, holding, wanted });
    const ask = () => connection.ask("POST", "/api/work", token, body);
    const reply = await patiently(connection, "work", ask);
    if (reply.status !== 200) throw new Error(`/api/work: ${reply.status} ${reply.body}`);
    const said = JSON.parse(reply.body.toString());
    said.taken.forEach((taken, at) => {
      if (taken.key !== answers[at].key) throw new Error("another key came back");
      ++counts[taken.state === "recorded" ? "acknowledged" : taken.state];
      if (taken.state === "refused") return;
      if (taken.state === "repeated") ++counts.acknowledged;
      const [{ question, answer }] = answers[at].answers;
      given.set(`${person.name} ${question}`, answer);
    });
    answers = [];
    held.push(...said.screens);
    for (const { cells } of said.screens) {
      const path = `/api/image/${cells[0].question}`;
      const image = await patiently(connection, "image", () => connection.ask("GET", path, token));
      if (image.status !== 200) throw new Error(`${path}: ${image.status} ${image.body}`);
    }
    if (over) break;
    if (held.length === 0) {
      ++counts.none;
      await sleep(1);
      continue;
    }
    if (option.think > 0) await sleep(option.think * (0.5 + Math.random()));
    const screen = held.shift();
    const { question } = screen.cells[0];
    const answer = ["yes", "no", "cannot-say"][(number + keys) % 3];
    const key = `annotator-${number}-${++keys}`;
    sent.set(`${person.name} ${question}`, answer);
    answers = [{ screen: screen.screen, key, answers: [{ question, answer }] }];
  }
  connection.close();
}

async function organise() {
  const connection = new Connection(server.url);
  while (!over) {
    const ask = () => connection.ask("GET", "/api/organiser/status", server.organiser);
    await patiently(connection, "status", ask);
    await sleep(2);
  }
  connection.close();
}

/// Each acknowledged answer is in the study once and as it was given. Other answers there were at
/// least sent, but the acknowledgement was lost.
function compare() {
  const rows = execFileSync(assay, ["labels", "export", study], { maxBuffer: 1 << 30 });
  const [header, ...lines] = rows.toString().trim().split("\n");
  const place = (name) => header.split(",").indexOf(name);
  const [who, which, what] = ["annotator", "question", "answer"].map(place);
  const vote = { yes: "yes", no: "no", "cannot-say": "maybe" };
  const result = { kept: lines.length, lost: 0, other: 0, twice: 0, unknown: 0 };
  const seen = new Set();
  const perQuestion = new Map();
  for (const line of lines) {
    const fields = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).map((f) => f.replace(/,$/, ""));
    const name = `${fields[who]} ${fields[which]}`;
    if (seen.has(name)) ++result.twice;
    seen.add(name);
    perQuestion.set(fields[which], (perQuestion.get(fields[which]) ?? 0) + 1);
    const answer = given.get(name);
    if (answer === undefined) ++result.unknown;
    if (fields[what] !== vote[answer ?? sent.get(name)]) ++result.other;
  }
  for (const name of given.keys()) if (!seen.has(name)) ++result.lost;
  result.overfull = [...perQuestion.values()].filter((count) => count > option.votes).length;
  return result;
}

function shown(kind, seconds) {
  const all = Float64Array.from(times[kind]).sort();
  const at = (p) => (all[Math.min(all.length - 1, Math.floor(p * all.length))] ?? 0).toFixed(1);
  const rate = (all.length / seconds).toFixed(0);
  return `${rate}/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

const questions = writeQuestions();
await start();
const organiser = new Connection(server.url);
const people = [];
while (people.length < option.annotators) {
  const body = JSON.stringify({ add: `annotator ${people.length}` });
  const ask = () => organiser.ask("POST", "/api/organiser/people", server.organiser, body);
  const reply = await patiently(organiser, "status", ask);
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.body}`);
  people.push(JSON.parse(reply.body.toString()));
}
organiser.close();
times.status = [];

const before = usage();
const begun = performance.now();
const everybody = [...people.map(annotate), organise()];
const failed = Promise.all(everybody);
failed.catch((error) => {
  console.error(error);
  process.exit(1);
});
let cpu = 0;
for (let kill = 0; kill < option.kill; ++kill) {
  await sleep(option.seconds / (option.kill + 1));
  cpu += usage().seconds;
  outage = true;
  await stop("SIGKILL");
  await sleep(1);
  await start();
  setTimeout(() => {
    outage = false;
  }, 2000);
}
await sleep(option.seconds / (option.kill + 1));
over = true;
await failed;
const seconds = (performance.now() - begun) / 1000;
const after = usage();
await stop("SIGTERM");

const { annotators, think, kill } = option;
const { acknowledged, repeated, refused, slower, broken, none } = counts;
const busy = (cpu + after.seconds - before.seconds).toFixed(1);
const lines = [
  `${annotators} annotators, ${questions} questions, ${think} s of thought, ${kill} kills`,
  `answers acknowledged: ${acknowledged}, ${(acknowledged / seconds).toFixed(0)}/s`,
  `/api/work: ${shown("work", seconds)}`,
  `images: ${shown("image", seconds)}`,
  `organiser's status: ${shown("status", seconds)}`,
  `memory: ${before.memory.toFixed(0)} MB before, ${after.memory.toFixed(0)} MB after`,
  `processor time of the server: ${busy} s in ${seconds.toFixed(0)} s`,
  `repeated ${repeated}, refused ${refused}, told to wait ${slower}, broken off ${broken}, ` +
    `nothing to do ${none}`,
];
console.log(lines.join("\n"));
const result = compare();
console.log(`in the study: ${JSON.stringify(result)}`);
if (!values.work) rmSync(work, { recursive: true });
const wrong = result.lost + result.other + result.twice + result.overfull + result.unknown;
process.exit(wrong > 0 ? 1 : 0);
