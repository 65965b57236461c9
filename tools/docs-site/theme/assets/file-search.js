// Browsers start no worker from a page that was opened from the disk. There, the search's worker runs in a hidden frame instead.
window.Worker = class extends EventTarget {
  constructor(address) {
    super()
    const frame = document.createElement("iframe")
    frame.hidden = true
    document.body.append(frame)
    this.frame = frame.contentWindow
    this.frame.postMessage = data => this.deliver(this, data) // the function that the worker calls to answer
    this.loaded = new Promise(resolve => {
      const script = frame.contentDocument.createElement("script")
      script.src = new URL(address, document.baseURI).href
      script.onload = resolve
      frame.contentDocument.body.append(script)
    })
  }
  deliver(target, data) {
    const event = new MessageEvent("message", { data })
    if (target === this && this.onmessage) this.onmessage(event)
    target.dispatchEvent(event)
  }
  postMessage(data) {
    this.loaded.then(() => this.deliver(this.frame, data))
  }
  terminate() {
    this.frame.frameElement.remove()
  }
}
