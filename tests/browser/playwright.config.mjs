// Runs the browser tests against the built page in dist/, which it serves itself.
import { defineConfig, devices } from "@playwright/test";

const port = Number(process.env.KUBEGLASS_PAGE_PORT ?? 8090);

export default defineConfig({
  testDir: ".",
  testMatch: "**/*.spec.mjs",
  outputDir: "../../test-results",
  fullyParallel: true,
  forbidOnly: true,
  // What passes only the second time has failed: a test waits for what it tests, however slow the machine is.
  retries: 0,
  workers: 2,
  // Generous: whoever waits for something that does not come waits long, and a slow machine fails nothing.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    ...devices["Desktop Chrome"],
    baseURL: `http://127.0.0.1:${port}/`,
    viewport: { width: 1280, height: 800 },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  webServer: {
    command: `node serve-dist.mjs ${port}`,
    url: `http://127.0.0.1:${port}/`,
    reuseExistingServer: false,
    timeout: 10_000,
  },
});
