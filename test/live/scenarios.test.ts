import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { call, say } from "./bed/steps.ts"

const files = {
  "check.js": "console.log('login: expected 200, got 401'); process.exit(1)\n",
  "package.json": '{ "scripts": { "test": "node check.js" } }\n',
  "passes.js": "console.log('all is well')\n",
  "notes.md": "Some notes.\n".repeat(20),
}
type Scenario = (at: (path: string) => string) => ReturnType<typeof call>[]
const bash = (command: string, description: string) => call("bash", { command, description })
const times = <T>(count: number, make: (n: number) => T[]): T[] =>
  Array.from({ length: count }, (_, n) => make(n)).flat()

/** Whole sessions in the real host. */
const SESSIONS: [kind: string, asked: string, warned: string[], Scenario][] = [
  [
    "ordinary: a retry feature",
    "Please add a retry to the client: it keeps failing and gets stuck.",
    [],
    (at) =>
      times(2, (n) => [
        call("write", { filePath: at(`src/retry-${n}.ts`), content: `retry(${n})` }),
        bash("node check.js", "Retry: run its tests once more"),
        call("write", { filePath: at(`src/retry-${n}.ts`), content: `retry(${n}, backoff)` }),
        bash("node check.js && true || node passes.js", "Run the retry tests again"),
      ]),
  ],
  [
    "ordinary: small edits that nobody planned",
    "Fix the typos, please.",
    [],
    (at) =>
      times(3, (n) => [
        call("read", { filePath: at("notes.md"), offset: n + 1, limit: 1 }),
        call("write", { filePath: at(`docs/page-${n}.md`), content: `the page ${n}` }),
      ]),
  ],
  [
    "bad: fixes that do not help",
    "Fix the login.",
    ["failed_checks"],
    (at) =>
      times(5, (n) => [
        call("write", { filePath: at("src/login.ts"), content: `attempt ${n}` }),
        bash("npm test", "Run the check"),
      ]),
  ],
  [
    "bad: to and fro",
    "The header should not jump.",
    ["rewrites"],
    (at) =>
      times(3, () => [
        call("write", { filePath: at("header.css"), content: "position: fixed" }),
        call("write", { filePath: at("header.css"), content: "position: sticky" }),
      ]),
  ],
  [
    "bad: the same file over and over",
    "Why is the total wrong?",
    ["same_calls"],
    (at) => times(5, () => [call("read", { filePath: at("notes.md") })]),
  ],
]

describe("in the real host", () => {
  it("sessions that go well are not warned, and those that do not are, by the next message at the latest", async () => {
    await using bed = await openBed({ files, hive: true })
    const seen: Record<string, string[]> = {}
    for (const [kind, asked, , steps] of SESSIONS) {
      const session = await bed.newSession(kind)
      bed.model.script(...steps((path) => join(bed.project, path)), say("So far."))
      await bed.prompt(session, asked)
      await bed.prompt(session, `${asked} Go on until it is done, and tell me what you found on the way.`)
      const body = JSON.stringify(bed.model.turns().at(-1)?.body)
      const names = [...body.matchAll(/<warning id=\\+"(\w+)\\+"/g)].map(([, name]) => name ?? "")
      seen[kind] = [...new Set(names)]
    }
    expect(seen).toEqual(Object.fromEntries(SESSIONS.map(([kind, , warned]) => [kind, warned])))
  })
})
