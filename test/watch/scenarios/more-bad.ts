import type { Step } from "../../support/session-player.ts"
import { answer, edit, fails, grep, passes, read, run, task, times, user, write } from "./steps.ts"

const LAST: readonly Step[] = [answer, user("Where do you stand?")]

/** Sessions that have lost their way, written after detection was made: none of its rules was made for one of these. */
export const moreBad: Record<string, readonly Step[]> = {
  "edits far from a task that names no path": [
    user("The login form should show a spinner while it waits."),
    task("Login form shows a spinner"),
    read("src/login/form.tsx"),
    edit("src/login/form.tsx", "<button>", "<button disabled={waiting}>"),
    ...times(10, (n) => edit(`src/billing/tax-${n}.ts`, `rate${n}`, `percentage${n}`)),
    ...LAST,
  ],
  "found the place, and works elsewhere": [
    user("The settings page forgets the language."),
    task("Settings remember the language"),
    grep("language"),
    read("src/settings/page.tsx"),
    ...times(9, (n) => write(`src/charts/axis-${n}.ts`, `export const ticks = ${n}\n`)),
    ...LAST,
  ],
  "to and fro with sed": [
    user("The timeout is wrong."),
    task("Right timeout"),
    ...times(5, () => [
      shellEdit("src/config.ts", "timeout = 30", "timeout = 60"),
      fails("expected a timeout within 45 s"),
      shellEdit("src/config.ts", "timeout = 60", "timeout = 30"),
      fails("expected an answer after 40 s"),
    ]),
    ...LAST,
  ],
  "a command that fails with other options each time": [
    user("Bring the containers up."),
    ...times(8, (n) => [
      run(
        `docker compose up -d --wait-timeout ${n}0`,
        1,
        "dependency failed to start: container db is unhealthy",
        "Start the containers",
      ),
      run("docker compose ps", 0, `db unhealthy, ${n} minutes`, "Look at the containers"),
    ]),
    ...LAST,
  ],
  "an anchor against a tool, and the tool": [
    user("Note how we install packages."),
    {
      tool: "hivemind_anchor",
      args: {
        action: "save",
        key: "PACKAGES",
        value: "Packages are installed with pnpm. Never npm install: it breaks the lock file.",
        priority: "critical",
      },
    },
    answer,
    user("Add a date library."),
    task("Add a date library"),
    run("npm install date-fns", 0, "added 1 package", "Install the date library"),
    write("src/dates.ts", "import 'date-fns'\n"),
    ...LAST,
  ],
  "the same search in other words": [
    user("Why does hot reload not work?"),
    ...[
      "vite hot reload not working",
      "vite hot reload does not work",
      "vite hmr not working",
      "hot reload vite not working fix",
      "vite hot module reload not working",
      "why is vite hot reload not working",
      "vite hot reload stopped working",
      "vite hot reload not working windows",
      "vite hot reload not working docker",
      "vite hot reload is not working",
    ].map((query): Step => ({ tool: "websearch", args: { query }, output: `results for ${query}` })),
    ...LAST,
  ],
  "one script after another, the same error": [
    user("Convert the old export to JSON."),
    task("Old export as JSON"),
    ...times(7, (n) => [
      write(`convert${n}.py`, `attempt = ${n}\n`),
      run(
        `python3 convert${n}.py`,
        1,
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position 1042",
        "Convert it",
      ),
    ]),
    ...LAST,
  ],
  "the user says again and again that it is still wrong": [
    user("The menu overlaps the logo on small screens."),
    task("Menu beside the logo on small screens"),
    ...[
      "No, it still overlaps.",
      "It is still overlapping on my phone.",
      "Still the same. Look again.",
      "That did not help, it still overlaps.",
      "No. Same problem as before.",
      "It's still not fixed.",
    ].flatMap((words, n) => [
      edit("src/menu.css", `margin: ${n}px`, `margin: ${n + 1}px`),
      passes("npm run build"),
      answer,
      user(words),
    ]),
    ...LAST,
  ],
}

function shellEdit(path: string, from: string, to: string): Step {
  return {
    tool: "bash",
    args: { command: `sed -i 's/${from}/${to}/' ${path}`, description: "Set it" },
    output: "",
    writes: { [path]: `${to}\n` },
  }
}
