// The controllers of a cluster: what works, and what these are told to do.

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
/** All that there is, with three nodes: what `true` stands for. */
const ALL = { controllers: ["*"], nodes: 3, scheduler: true };

export class Controllers {
  #make;
  #work;
  #rest;
  /** Whether some work, and whether they wait. */
  #works = false;
  #waits = false;
  /** The number of the last reconcile that was told. */
  #last = 0;

  /** `make` makes a call; `work` is told whether any of them works; `rest` waits until nothing more is to be done at once. */
  constructor(make, work, rest) {
    this.#make = make;
    this.#work = work;
    this.#rest = rest;
  }

  /** Starts controllers, in the place of those that work. */
  async start(choice = ALL) {
    const { controllers = ["*"], nodes = 0, scheduler = nodes > 0, paused = false, switches = {} } = choice === true ? ALL : choice;
    if (!Array.isArray(controllers)) throw new TypeError("controllers is a list of names");
    if (!Number.isSafeInteger(nodes) || nodes < 0) throw new TypeError(`nodes is a whole number, not ${nodes}`);
    const all = Object.entries(switches).map(([name, own]) => [name, switchesOf(own)]);
    return this.#ask({ after: 0, command: { start: { controllers, nodes, scheduler, paused, switches: all } } });
  }

  /** Ends all of them. What they have made stays. */
  stop() {
    return this.#ask({ command: "stop" });
  }

  /** Has all of them wait. */
  pause() {
    return this.#ask({ command: { pause: true } });
  }

  /** Has them go on. */
  resume() {
    return this.#ask({ command: { pause: false } });
  }

  /** Has one reconcile happen while they wait. */
  step(name = null) {
    return this.#finish({ step: name });
  }

  /** Has all reconciles happen that are due, though they wait, and those that come of these. */
  async untilQuiet() {
    if (this.#waits) return this.#finish("untilQuiet");
    await this.settle();
    return this.#ask({});
  }

  /** Waits until those that do not wait have done what is to be done at once. */
  async settle() {
    if (this.#works && !this.#waits) await this.#rest();
  }

  /** Sets the switches of one. */
  switch(name, switches) {
    return this.#ask({ command: { switch: { name, switches: switchesOf(switches) } } });
  }

  /** Tells how they are, with the reconciles after the one of a number. */
  state(after = 0) {
    return this.#ask({ after });
  }

  /** Runs a command, and waits until all that it asks for has happened. */
  async #finish(command) {
    const after = this.#last;
    let state = await this.#ask({ command, after });
    while (state.pending) state = await this.#ask({ after });
    return state;
  }

  async #ask({ command, after = this.#last }) {
    const ask = { command, after };
    const state = JSON.parse(decoder.decode(await this.#make("controllers", [encoder.encode(JSON.stringify(ask))])));
    this.#works = state.choice !== null;
    this.#waits = state.choice?.paused ?? false;
    this.#work(this.#works);
    // Those of each start have numbers of their own.
    this.#last = state.choice ? (state.reconciles.at(-1)?.number ?? after) : 0;
    return state;
  }
}

function switchesOf({ paused = false, cutOff = false, pause = 0 }) {
  return { paused, cutOff, pause };
}
