/** How a cluster begins. */
export interface ClusterOptions {
  /** What its clock shows: milliseconds since the Unix epoch, or a date. Now, unless it is given. */
  now?: number | Date;
  /** What its random numbers come from: the same requests at the same times make the same cluster. */
  seed?: number | bigint;
  /** The resource version of its first object. */
  firstRevision?: number | bigint;
  /** Whether it lives in a worker (a Web Worker, or a thread of Node) instead of in this thread. */
  worker?: boolean;
  /**
   * What the API server's calls of webhooks come to, whatever their URL: those of admission, and those that convert custom objects. The
   * request has the review; it is aborted when the webhook's time is over. Without this, nothing listens at any URL.
   */
  webhook?: (request: Request) => Response | Promise<Response>;
  /** What works on the cluster from its beginning: `true` is all controllers, a scheduler and three nodes. Nothing, unless it is given. */
  controllers?: true | ControllerChoice;
}

/** What works on a cluster: controllers of kube-controller-manager, a scheduler, and nodes that pretend to run Pods. */
export interface ControllerChoice {
  /** The controllers, each item as in kube-controller-manager's `--controllers`: `["*", "-job-controller"]`. All, unless it is given. */
  controllers?: string[];
  /** How many nodes there are whose kubelets pretend that Pods run; none, unless it is given. */
  nodes?: number;
  /** Whether there is a scheduler. There is where there are nodes, unless it is given. */
  scheduler?: boolean;
  /** Whether all of them wait at first, for {@link Controllers.step}, {@link Controllers.untilQuiet} or {@link Controllers.resume}. */
  paused?: boolean;
  /** The switches of some of them, by their names. */
  switches?: Record<string, Switches>;
}

/** The switches of a controller. */
export interface Switches {
  /** Whether it waits. */
  paused?: boolean;
  /** Whether it hears of no change, and its requests come to nothing. */
  cutOff?: boolean;
  /** The least time between two of its reconciles, in milliseconds. */
  pause?: number;
}

/** The controllers of a cluster, as they are. Times are milliseconds since the Unix epoch, on the cluster's clock. */
export interface ControllersState {
  /** How many times something was started. */
  start: number;
  /** What works; `null` if nothing does. */
  choice: (Required<Omit<ControllerChoice, "switches">> & { switches: [string, Required<Switches>][] }) | null;
  /** The controllers, in the order in which they take turns. */
  controllers: {
    name: string;
    /** In whose name it sends requests. */
    user: string;
    /** The first keys that it has to look at, and when; 0 is now. */
    waiting: { key: string; due: number; failures: number }[];
    queued: number;
    reconciles: number;
    failures: number;
  }[];
  /** Whether reconciles were asked for while all wait that have not happened yet. */
  pending: boolean;
  /** The reconciles, as far as they are kept: a few thousand. */
  reconciles: Reconcile[];
}

/** A controller has looked at an object, and done one step. */
export interface Reconcile {
  number: number;
  controller: string;
  key: string;
  at: number;
  /** The revision of the last change that led to it. */
  because: number | null;
  /** The revisions that it made. */
  wrote: number[];
  /** Its requests that were refused: the number of each in the trace, and the status. */
  refused: [number, number][];
  outcome: "done" | { again: number } | { failed: { why: string; retry: number } };
}

/** The controllers of a cluster. Each method tells how they are after it, with the reconciles that were not told before. */
export interface Controllers {
  /**
   * Starts controllers, in the place of those that work. Without a choice: all, a scheduler, and three nodes.
   * @throws an `Error` that names what there is not.
   */
  start(choice?: true | ControllerChoice): Promise<ControllersState>;
  /** Ends all of them. What they have made stays. */
  stop(): Promise<ControllersState>;
  /** Has all of them wait: they hear of changes and queue what they have to look at. */
  pause(): Promise<ControllersState>;
  /** Has them go on. */
  resume(): Promise<ControllersState>;
  /** Has one reconcile happen while they wait: the next one, or the next one of the controller of this name. */
  step(name?: string): Promise<ControllersState>;
  /** Has all reconciles happen that are due, though they wait, and those that come of these. */
  untilQuiet(): Promise<ControllersState>;
  /** Sets the switches of the controller of a name. */
  switch(name: string, switches: Switches): Promise<ControllersState>;
  /** Tells how they are, with the reconciles after the one of this number: all that are kept, unless it is given. */
  state(after?: number): Promise<ControllersState>;
}

/** What there is to do to a cluster that no request can: see `docs/trace.md` and `protocol::command` of Kubeglass. */
export type Command =
  | "addServer"
  | { setLag: { server: number; resource?: string; lag: number } }
  | { setStopped: { server: number; resource?: string; stopped: boolean } }
  | { dropWatches: { server: number } }
  | { dropWatch: { watch: number } }
  | { fail: { server: number; count: number; fault: Fault } }
  | { clearFaults: { server: number } }
  | { compact: { revision: number } }
  | { forget: { server: number; revision: number } }
  | { setBookmarkInterval: { interval: number } }
  | { setRate: { rate: number } }
  | { advance: { by: number } };

/** How the next requests fail: by 429, 500 or 503; by 409, where an object is changed; or by a broken connection. */
export type Fault = "tooManyRequests" | "internalError" | "unavailable" | "conflict" | "cut";

/** What came of a command. */
export type Done = "ok" | { server: number } | { cleared: number } | { cluster: number };

/** The name of an object, as the store has it. */
export interface ObjectKey {
  group: string;
  resource: string;
  namespace: string;
  name: string;
}

/** An object as it was stored, without `kind` and `apiVersion`. */
export interface Stored {
  json: Record<string, unknown>;
  labels: [string, string][];
  fields: [string, string][];
}

/** A write of the store. */
export interface Write {
  revision: number;
  change: "created" | "updated" | "deleted";
  key: ObjectKey;
  object: Stored | null;
}

/** A request that was answered. */
export interface RequestRecord {
  id: number;
  server: number;
  method: string;
  uri: string;
  /** When it came, in milliseconds since the Unix epoch, on the cluster's clock. */
  at: number;
  /** The status code; 0 if the connection broke instead. */
  code: number;
  size: number;
  source: { layer: "store" | "cache" | "snapshot"; revision: number } | null;
  /** The revisions that it made. */
  wrote: number[];
  manager: string;
  userAgent: string;
  /** How long it took, in milliseconds. */
  took: number;
  watch: number | null;
  access: unknown;
  judgements: unknown[];
  considered: unknown[];
}

/** A watch. */
export interface WatchInfo {
  id: number;
  server: number;
  uri: string;
  scope: { group: string; resource: string; namespace: string; labelSelector: string; fieldSelector: string };
  revision: number;
  sent: number;
  filtered: number;
  last: Delivery | null;
}

/** What became of an event on its way to a watch. */
export interface Delivery {
  revision: number;
  sent: "added" | "modified" | "deleted" | "bookmark" | "error" | null;
}

/** Something that has happened: an object with one of these properties. The first has the state, as of the oldest revision kept. */
export type TraceEvent =
  | { state: { revision: number; compactRevision: number; objects: [ObjectKey, number, Stored][]; watches: WatchInfo[] } }
  | { lost: { writes: boolean; requests: number; deliveries: number } }
  | { write: Write }
  | { request: RequestRecord }
  | { watchOpened: WatchInfo }
  | { delivered: { watch: number; revision: number; deliveries: Delivery[] } }
  | { watchEnded: { watch: number; end: "client" | "timeout" | "error" | "server" } }
  | { servers: unknown[] }
  | { snapshots: unknown[] }
  | { compacted: number }
  | { time: { now: number; rate: number } }
  | { revision: number };

/** How manifests are applied. */
export interface LoadOptions {
  /** The namespace of objects that say none; `default`. */
  namespace?: string;
  /** The field manager; `kubeglass`. */
  fieldManager?: string;
}

/** What came of an object of a manifest. */
export interface Loaded {
  /** The number of its document, from 0 on. */
  document: number;
  /** 201 if it was created, 200 if it was there. */
  code: number;
  /** The object as the API server has it now. */
  object: Record<string, any>;
}

/** A manifest that could not be applied. What came before it was, and stays. */
export class LoadError extends Error {
  /** The number of the document, from 0 on. */
  readonly document: number;
  /** The Status that the API server responded with, if it was asked. */
  readonly status?: Record<string, any>;
  /** What came of the documents before it. */
  readonly done: Loaded[];
}

/** A Kubernetes cluster in memory: its API server, and what can be done to it. */
export class Cluster {
  private constructor();

  /**
   * Starts a cluster, with the namespaces that every new one has.
   * @throws an `Error` that says what is missing, where this cannot run.
   */
  static start(options?: ClusterOptions): Promise<Cluster>;

  /**
   * Sends a request to the API server: as the global `fetch`, but that a URL's origin does not matter. A watch's body is a stream
   * of events; cancelling it, or aborting the signal, closes the watch.
   * @throws a `TypeError` if the connection is cut or the request cannot be sent; the signal's reason if it is aborted.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;

  /**
   * Tells what happens in the cluster, in order, beginning with its state and the history that is kept. A reader who is slow gets
   * a gap (`lost`, and a state again) rather than taking memory. One reader at a time; a fork has none.
   */
  trace(): AsyncGenerator<TraceEvent, void, undefined>;

  /** Makes a cluster that begins with what this one had at a revision; the newest one, unless it is given. */
  fork(revision?: number | bigint): Promise<Cluster>;

  /**
   * Applies manifests, in order, as `kubectl apply --server-side` does; what has no name is created.
   * @throws a {@link LoadError} with the number of the document.
   */
  load(yaml: string, options?: LoadOptions): Promise<Loaded[]>;

  /**
   * Does to the cluster what no request can.
   * @throws a `TypeError` if it is no command, an `Error` if it cannot be done.
   */
  command(command: Command): Promise<Done>;

  /** The cluster's time. It goes as that of the machine does, unless it is told otherwise. */
  readonly clock: {
    /** Moves it on, by milliseconds: what waits for it happens at once, and with it what controllers make of that. */
    advance(ms: number): Promise<Done>;
    /** Sets how fast it goes: 1 is as fast as the machine's, 0 is paused. */
    setRate(rate: number): Promise<Done>;
    /** What it shows, in milliseconds since the Unix epoch. */
    now(): Promise<number>;
  };

  /**
   * What works on the cluster: nothing, until it is started.
   * @throws a `TypeError` for a fork, which has none.
   */
  readonly controllers: Controllers;

  /** Reads YAML as the API server does. */
  toJson(yaml: string | Uint8Array): Promise<any>;

  /** Ends the cluster; what is under way fails. A fork is dropped. */
  stop(): Promise<void>;

  /** As {@link stop}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
