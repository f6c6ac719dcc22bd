import type { Cluster } from "./index.js";

/**
 * The HTTP library of `@kubernetes/client-node` (1.0 or newer) over a cluster: for `createConfiguration({ httpApi })`.
 * `k8s` is that module.
 */
export function httpLibrary(cluster: Cluster, k8s: any): any;

/** A watch of `@kubernetes/client-node` over a cluster: for `new ListWatch(path, watch, list)`, or to be used as it is. */
export class Watch {
  constructor(cluster: Cluster);
  watch(
    path: string,
    queryParams: Record<string, string | number | boolean | undefined>,
    callback: (phase: string, object: any, event?: any) => void,
    done: (error: any) => void,
  ): Promise<AbortController>;
}
