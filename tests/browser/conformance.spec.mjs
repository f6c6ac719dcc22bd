// Replays the recorded conversations in the browser: no area may pass less than the scoreboard says, and every
// answer is the one that the native server gives.
import { readFileSync, readdirSync } from "node:fs";
import { extname } from "node:path";
import { expect, test } from "./fixtures.mjs";

const conformance = new URL("../conformance/", import.meta.url);
const recordings = new URL("recordings/", conformance);
/** What `cargo xtask test browser` builds: the replayer, and what it said natively. */
const built = new URL("../../target/conformance/", import.meta.url);

/** What may rise, but not fall: as a report calls it, and as a reader does. */
const FIGURES = { passed: "steps passed", without: "passed without managedFields", ordered: "same key order" };
const figures = (report) => Object.keys(FIGURES).map((figure) => report[figure]);
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };

/** The rows of a table of the scoreboard: the figures by name. */
function rows(lines) {
  const cells = lines.filter((line) => /^\| [\w-]+ \|.* \d+ \|$/.test(line)).map((line) => line.split("|").slice(1, -1));
  return new Map(cells.map(([name, ...numbers]) => [name.trim(), numbers.slice(-Object.keys(FIGURES).length).map(Number)]));
}

/** The scoreboard: `areas`, and of each area the scenarios. */
function scoreboard() {
  const [first, ...sections] = readFileSync(new URL("SCOREBOARD.md", conformance), "utf8").split(/^## /m);
  const scenarios = sections.map((section) => {
    const [area, ...lines] = section.split("\n");
    return [area, rows(lines)];
  });
  return { areas: rows(first.split("\n")), scenarios: new Map(scenarios) };
}

/** The recordings of an area, as text. */
function texts(area) {
  const folder = new URL(`${area}/`, recordings);
  const files = readdirSync(folder).filter((file) => file.endsWith(".json")).sort();
  return files.map((file) => readFileSync(new URL(file, folder), "utf8"));
}

/** A page of its own for the replayer: nothing but its module, started. */
async function open(page, baseURL) {
  const home = new URL("replayer/", baseURL).href;
  await page.route(`${home}**`, (route) => {
    const file = new URL(route.request().url()).pathname.replace(/.*\//, "");
    if (file === "") return route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Replayer</title>" });
    return route.fulfill({ contentType: TYPES[extname(file)], body: readFileSync(new URL(file, built)) });
  });
  await page.goto(home);
}

/**
 * The reports of recordings, replayed one after the other. One that makes the server panic has broken off; what comes
 * after it gets a new instance.
 */
function replay(page, recordings) {
  return page.evaluate(async (recordings) => {
    let replayer;
    const reports = [];
    for (const recording of recordings) {
      if (!replayer) {
        // A module is evaluated once for each address.
        replayer = await import(`./conformance_wasm.js?${reports.length}`);
        await replayer.default();
      }
      try {
        reports.push(JSON.parse(replayer.replay(recording)));
      } catch (error) {
        const { name } = JSON.parse(recording);
        reports.push({ name, brokeOff: String(error), passed: 0, without: 0, ordered: 0, answers: [] });
        replayer = undefined;
      }
    }
    return reports;
  }, recordings);
}

/** The figures of which `now` has less than `before`, as they read in a failure. */
function fallen(before, now) {
  const pairs = Object.values(FIGURES).map((figure, at) => [figure, before[at], now[at]]);
  const less = pairs.filter(([, before, now]) => now < before);
  return less.map(([figure, before, now]) => `${figure} ${before} -> ${now}`).join(", ");
}

for (const area of readdirSync(recordings).sort()) {
  test(`conversations recorded of ${area} are replayed as well as natively`, async ({ page, baseURL }) => {
    await open(page, baseURL);
    const reports = await replay(page, texts(area));
    const board = scoreboard();

    const byName = new Map(reports.map((report) => [report.name, report]));
    const fell = [...(board.scenarios.get(area) ?? [])].flatMap(([name, before]) => {
      const report = byName.get(name);
      if (!report) return [`${name}: is gone`];
      const less = fallen(before, figures(report));
      return less ? [`${name}: ${less}${report.brokeOff ? `; broke off: ${report.brokeOff}` : ""}`] : [];
    });
    expect(fell, "scenarios that pass less than SCOREBOARD.md says").toEqual([]);
    const sum = Object.keys(FIGURES).map((figure) => reports.reduce((sum, report) => sum + report[figure], 0));
    expect(fallen(board.areas.get(area) ?? [], sum), "the whole area").toBe("");

    const native = JSON.parse(readFileSync(new URL("native.json", built), "utf8"));
    const differ = native.filter((report) => report.area === area).flatMap((report) => differences(report, byName));
    expect(differ, "answers that differ from the native ones").toEqual([]);
  });
}

/** Where the responses in the browser are not those of `native`, scenario by scenario and step by step. */
function differences(native, byName) {
  const here = byName.get(native.name);
  if (!here) return [`${native.name}: is gone`];
  if (here.brokeOff !== native.brokeOff) return [`${native.name}: broke off: ${here.brokeOff}, not ${native.brokeOff}`];
  const at = native.answers.findIndex(([, answer], at) => here.answers[at]?.[1] !== answer);
  if (at >= 0) {
    const [step, answer] = native.answers[at];
    return [`${native.name}: ${step}: ${here.answers[at]?.[1]}, not ${answer}`];
  }
  const counts = fallen(figures(native), figures(here)) || fallen(figures(here), figures(native));
  return counts ? [`${native.name}: ${counts}`] : [];
}
