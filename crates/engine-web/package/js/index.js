// A Kubernetes API server in memory, for Node and browsers.
export { Cluster, LoadError } from "./cluster.js";
