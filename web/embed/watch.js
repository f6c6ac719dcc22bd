// `<kube-watch path="/api/v1/pods">`: a watch that tells what happens to a collection while the examples of its page run.
import { KubeHttp } from "./example.js";

export class KubeWatch extends KubeHttp {
  connectedCallback() {
    const path = this.getAttribute("path") ?? this.textContent.trim().replace(/^GET\s+/, "");
    const isWatch = /[?&]watch=/.test(path);
    this.written ??= `GET ${path}${isWatch ? "" : `${path.includes("?") ? "&" : "?"}watch=1`}`;
    super.connectedCallback();
  }

  runName() {
    return this.words.watch;
  }
}
