import type { Step } from "../../support/session-player.ts"
import { answer, edit, fails, grep, read, remove, run, task, times, user, write } from "./steps.ts"

const LAST: readonly Step[] = [answer, user("How far are you? Please go on until it works.")]

/** Sessions that have lost their way. One that gets no warning is missed. */
export const bad: Record<string, readonly Step[]> = {
  "edit, test, fail: ten times over": [
    user("Fix the failing login test."),
    task("Fix the login test"),
    ...times(10, (n) => [
      edit("src/login.ts", `attempt ${n}`, `attempt ${n + 1}`),
      fails(`login.test.ts: expected 200, got 401 (${n * 17} ms)`),
    ]),
    ...LAST,
  ],
  "a failure, then something harmless, and again": [
    user("Start the server and tell me its port."),
    ...times(8, (n) => [
      run(`node server.js --port ${3000 + n}`, 1, "Error: listen EADDRINUSE", "Start the server"),
      read(`src/server/part-${n}.ts`),
    ]),
    ...LAST,
  ],
  "edits far from the task": [
    user("Go on with the date parser."),
    task("Make src/dates/parse.ts accept week numbers"),
    read("src/dates/parse.ts"),
    ...times(9, (n) => edit(`src/billing/invoice-${n}.ts`, `a${n}`, `b${n}`)),
    ...LAST,
  ],
  "a known false path is tried again": [
    user("The tests are slow. Make them faster."),
    {
      tool: "hivemind_memory",
      args: {
        action: "save",
        shelf: "tests",
        kind: "false_path",
        content: "Running vitest with isolate false makes the store tests share state and fail at random.",
      },
    },
    answer,
    user("So, faster tests please."),
    edit("vitest.config.ts", "isolate: true", "isolate: false // share state between store tests"),
    run(
      "npx vitest run --isolate false test/store",
      1,
      "3 tests failed at random",
      "Run vitest with isolate false for the store tests",
    ),
    run(
      "npx vitest run --isolate false test/store",
      1,
      "1 test failed at random",
      "Run vitest with isolate false for the store tests",
    ),
    ...LAST,
  ],
  "to and fro between two versions": [
    user("The header should not jump."),
    task("Header does not jump"),
    read("src/header.css"),
    ...times(4, () => [
      edit("src/header.css", "position: fixed", "position: sticky"),
      read("src/header.css"),
      edit("src/header.css", "position: sticky", "position: fixed"),
    ]),
    ...LAST,
  ],
  "the same refused call, again and again": [
    user("Clean the hive's files up."),
    ...times(8, () => write(".hivemind/graph/x.json", "{}")),
    ...LAST,
  ],
  "the same file is read over and over": [
    user("Why is the total wrong?"),
    task("Find out why the total is wrong"),
    ...times(8, (n) => [read("src/total.ts"), ...(n % 2 === 0 ? [grep("total")] : [])]),
    ...LAST,
  ],
  "a critical anchor is ignored": [
    user("Note this first."),
    {
      tool: "hivemind_anchor",
      args: {
        action: "save",
        key: "LEGACY",
        value: "Never edit files under src/legacy: customers run it unchanged.",
        priority: "critical",
      },
    },
    answer,
    user("Now make the export faster."),
    task("Make the export faster"),
    ...times(4, (n) => edit(`src/legacy/export-${n}.ts`, `slow ${n}`, `fast ${n}`)),
    ...LAST,
  ],
  "many turns, and nothing gets done": [
    user("Get the Docker build to work."),
    task("Docker build works"),
    ...times(8, (n) => [
      user(`It still does not build, part ${n}. Please look again.`),
      read(`docker/part-${n}.md`),
      run(`docker build -f Dockerfile.${n} .`, 1, `step ${n}: no such file`, "Build the image"),
      read(`docker/other-${n}.md`),
      ...times(4, (k) => read(`docker/more-${n}-${k}.md`)),
      answer,
    ]),
    ...LAST,
  ],
  "the same edit, again and again": [
    user("Change the title."),
    task("Change the title"),
    ...times(6, (n) => [
      {
        fails: "edit",
        args: { filePath: "src/title.ts", oldString: "Old title", newString: "New title" },
        error: "oldString not found",
      } as const,
      ...(n % 2 === 1 ? [read("src/title.ts")] : []),
    ]),
    ...LAST,
  ],
  "deleted and written anew": [
    user("Write the importer."),
    task("Write the importer"),
    ...times(5, (n) => [
      write("src/importer.ts", `version ${n}\n`),
      read("src/importer.ts"),
      remove("src/importer.ts"),
    ]),
    ...LAST,
  ],
  "subagents that are sent out with the same words": [
    user("Have the flaky test fixed."),
    ...times(
      6,
      (n): Step => ({
        subagent: "general",
        prompt:
          [
            "Fix the flaky upload test.",
            "Please fix the flaky upload test again.",
            "The upload test is still flaky: fix it now.",
          ][n % 3] ?? "",
        steps: [read(`test/upload-${n}.test.ts`)],
      }),
    ),
    ...LAST,
  ],
}
