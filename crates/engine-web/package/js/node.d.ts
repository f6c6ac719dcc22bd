import type { Cluster } from "./index.js";

/** A cluster behind a socket. */
export interface Listening {
  /** Where it listens: `http://127.0.0.1:PORT`. */
  url: string;
  /** A kubeconfig for it, as JSON, which is YAML. */
  kubeconfig: string;
  /** Ends it; the cluster goes on. */
  close(): Promise<void>;
}

/** Puts a cluster behind a socket of this machine, so that kubectl, and any client over HTTP, can use it. */
export function listen(cluster: Cluster, options?: { port?: number; host?: string }): Promise<Listening>;
