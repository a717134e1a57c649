import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { call, read, type Step, say, write } from "./bed/steps.ts"

const files = {
  "check.js": "console.log('login: expected 200, got 401'); process.exit(1)\n",
  "package.json": '{ "scripts": { "test": "node check.js" } }\n',
  "passes.js": "console.log('all is well')\n",
  "notes.md": "Some notes.\n".repeat(20),
}
const described = (command: string, description: string) => call("bash", { command, description })
const times = <T>(count: number, make: (n: number) => T[]): T[] =>
  Array.from({ length: count }, (_, n) => make(n)).flat()

/** Whole sessions: the kind, the user's message, the warnings, and the steps. */
const SESSIONS: [kind: string, asked: string, warned: string[], steps: Step[]][] = [
  [
    "ordinary: a retry feature",
    "Please add a retry to the client: it keeps failing and gets stuck.",
    [],
    times(2, (n) => [
      write(`src/retry-${n}.ts`, `retry(${n})`),
      described("node check.js", "Retry: run its tests once more"),
      write(`src/retry-${n}.ts`, `retry(${n}, backoff)`),
      described("node check.js && true || node passes.js", "Run the retry tests again"),
    ]),
  ],
  [
    "ordinary: small edits that nobody planned",
    "Fix the typos, please.",
    [],
    times(3, (n) => [
      call("read", { filePath: "notes.md", offset: n + 1, limit: 1 }),
      write(`docs/page-${n}.md`, `the page ${n}`),
    ]),
  ],
  [
    "bad: fixes that do not help",
    "Fix the login.",
    ["failed_checks"],
    times(5, (n) => [write("src/login.ts", `attempt ${n}`), described("npm test", "Run the check")]),
  ],
  [
    "bad: to and fro",
    "The header should not jump.",
    ["rewrites"],
    times(3, () => [write("header.css", "position: fixed"), write("header.css", "position: sticky")]),
  ],
  [
    "bad: the same file over and over",
    "Why is the total wrong?",
    ["same_calls"],
    times(5, () => [read("notes.md")]),
  ],
]

it("sessions that go well get no warning; the others get one with the next message at the latest", async () => {
  await using bed = await openBed({ files, hive: true })
  const seen: Record<string, string[]> = {}
  for (const [kind, asked, , steps] of SESSIONS) {
    const session = await bed.newSession(kind)
    await bed.prompt(session, asked, ...steps, say("So far."))
    await bed.prompt(session, `${asked} Go on until it is done, and tell me what you found on the way.`)
    const body = JSON.stringify(bed.model.lastTurn().body)
    const names = [...body.matchAll(/<warning id=\\+"(\w+)\\+"/g)].map(([, name]) => name ?? "")
    seen[kind] = [...new Set(names)]
  }
  expect(seen).toEqual(Object.fromEntries(SESSIONS.map(([kind, , warned]) => [kind, warned])))
})
