// The search of the site runs in a worker, and browsers refuse workers to pages that are opened from a folder. There a
// hidden frame does the same: it loads the script, is sent messages, and sends answers back. Nothing is fetched from elsewhere.
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    #waiting = [];
    #inner = null;

    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      const script = document.createElement("script");
      script.src = new URL(address, document.baseURI).href;
      frame.hidden = true;
      frame.title = "Search";
      frame.srcdoc = script.outerHTML;
      frame.addEventListener("load", () => {
        this.#inner = frame.contentWindow;
        this.#inner.postMessage = data => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
        this.#waiting.splice(0).forEach(data => this.postMessage(data));
      });
      document.body.append(frame);
    }

    postMessage(data) {
      if (this.#inner) this.#inner.dispatchEvent(new MessageEvent("message", { data }));
      else this.#waiting.push(data);
    }
  }
  window.Worker = window.IFrameWorker = IFrameWorker;
}
