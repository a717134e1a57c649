import { spawn } from "node:child_process"
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { createConnection } from "node:net"
import { join } from "node:path"
import { text as readAll } from "node:stream/consumers"
import fc from "fast-check"
import { expect, onTestFinished } from "vitest"
import { readCommand } from "../../src/gate/shell/read-command.ts"
import { sessionsIn } from "../../src/history/find-sessions.ts"
import { importSessions } from "../../src/history/import-sessions.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { loadConfig } from "../../src/hive/load-config.ts"
import { listenForHooks } from "../../src/hosts/hooks/socket.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { importFrom } from "../../src/migrate/import/import.ts"
import { IMPORT_TOOLS, type ImportTool } from "../../src/migrate/import/locate.ts"
import { migrate } from "../../src/migrate/migrate.ts"
import { drain, queueContents } from "../../src/queue/queue.ts"
import { config } from "../../src/schemas/config.ts"
import { queuedCommand } from "../../src/schemas/queued-command.ts"
import { HiveError } from "../../src/shared/error.ts"
import { type ToolName, toolActions } from "../../src/shared/tool-names.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { tools } from "../../src/tools/index.ts"
import { ask, served } from "../dashboard/served.ts"
import { claudeIn } from "../hosts/hooks/hook-events.ts"
import { projectOf, sourceOf } from "../migrate/import/imported.ts"
import { damageOf } from "../store/faults/damages.ts"
import { randomFrom } from "../store/faults/random.ts"
import { connectedAt } from "../support/connected.ts"
import { gitRepo } from "../support/git-repo.ts"
import { CLI } from "../support/mcp-client.ts"
import { copyOldLayout, hiveIn } from "../support/old-project.ts"
import { uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"
import { anyCommand } from "../tools/call-tool.ts"
import { damaged, json, objectOf, SHELL_WORDS, text } from "./inputs.ts"

const LEGACY = join(import.meta.dirname, "../fixtures/legacy")
const DASHBOARD_PATHS = ["now", "plans", "plan", "task", "memory", "mem", "timeline", "context", "replay"]
  .concat(["drift", "restore", "health", "command", "commands", "__proto__"])
  .map((name) => `/api/${name}`)

const asJson = (value: unknown) => JSON.stringify(value)
const RECORD = objectOf(json, "id title content kind tags ops done command seal").map(asJson)
const SESSIONS = join(import.meta.dirname, "../fixtures/history")
const SESSION_FIELDS = "type message payload timestamp sessionId cwd content uuid parentUuid role"

const HOOK_EVENTS = [
  ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"],
  ...["Stop", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd", "StopFailure"],
  ...["BeforeAgent", "BeforeTool", "AfterTool", "AfterModel", "PreCompress", "AfterAgent", "__proto__"],
]
const HOOK_FIELDS =
  "session_id cwd tool_input tool_response tool_use_id prompt source agent_id " +
  "transcript_path last_assistant_message agent_type tool_calls llm_response reason"
const HOOK_TOOLS = "Bash Write Edit Agent run_shell_command apply_patch mcp__hivemind__hivemind_task".split(
  " ",
)
const MCP_METHODS = "tools/call tools/list resources/read prompts/get initialize ping x".split(" ")
const SHELL_WORD = fc.constantFrom(...SHELL_WORDS)

export interface EntryPoint {
  name: string
  input: fc.Arbitrary<unknown>
  failedBefore?: readonly unknown[]
  short: number
  open: () => Promise<Tried>
}

interface Tried {
  give: (input: never) => unknown
  /** After all inputs: nothing is lost. */
  end?: () => unknown
}

export const entryPoints: readonly EntryPoint[] = [
  {
    name: "arguments of a tool",
    short: 300,
    failedBefore: [["hivemind_session", { action: "resume", session: { length: { toString: null } } }]],
    input: fc.constantFrom(...tools).chain((tool) => {
      const args = objectOf(json, Object.keys(tool.args).join(" "))
      const actions = fc.constantFrom(...toolActions[shortName(tool.name)], "none")
      const named = fc.tuple(args, actions).map(([given, action]) => ({ ...given, action }))
      return fc.tuple(fc.constant(tool.name), fc.oneof(json, args, named, almostRight(tool.name)))
    }),
    async open() {
      const hive = hiveIn(gitRepo(await tempProject()))
      await saveHere(hive)
      return {
        async give([name, args]: [string, unknown]) {
          const tool = tools.find((each) => each.name === name)
          const reply = await tool?.execute(hive, caller, args)
          expect(reply).toMatchObject({ status: expect.stringMatching(/^(success|error)$/) })
          if (reply?.status === "error") {
            const told = [reply.what, reply.why, reply.use_instead, reply.evidence]
            expect(told.every((part) => typeof part === "string")).toBe(true)
            expect(reply.code, JSON.stringify(reply)).not.toBe("internal")
          }
          JSON.stringify(reply)
        },
        async end() {
          expect(await hive.store.compareWithLog()).toEqual([])
          expect(contents(hive)).toContain(STAYS)
        },
      }
    },
  },
  {
    name: "a call of the host's tools, at the gate",
    short: 100,
    input: fc.tuple(
      fc.oneof(fc.constantFrom("bash", "write", "edit", "patch", "apply_patch", "task", "read", "x_y"), text),
      objectOf(json, "command filePath path patchText content oldString prompt workdir"),
    ),
    async open() {
      const { hivemind } = connectedAt(gitRepo(await tempProject()), { snapshots: { enabled: false } })
      let n = 0
      return {
        async give([tool, args]: [string, unknown]) {
          const call = { id: `call_${n++}`, session: "ses_1", agent: "build", tool }
          const refusal = await hivemind.beforeCall(readCall({ ...call, args }))
          expect(["string", "undefined"]).toContain(typeof refusal)
          const end = { ok: true, exit: 0, said: "", isSilent: false, isStopped: false, child: null }
          expect(Array.isArray((await hivemind.afterCall({ ...call, ...end })).notes)).toBe(true)
        },
      }
    },
  },
  {
    name: "shell text",
    short: 1000,
    input: fc.oneof(
      fc.array(fc.oneof(SHELL_WORD, text), { maxLength: 14 }).map((words) => words.join(" ")),
      fc.array(fc.oneof(SHELL_WORD, fc.constant(" ")), { maxLength: 40 }).map((words) => words.join("")),
      text,
    ),
    async open() {
      return {
        give(command: string) {
          const reading = readCommand(command, { project: "/srv/app", home: "/home/me", branch: "main" })
          expect(["test", "build", "git", "write", "read", "other"]).toContain(reading.kind)
          JSON.stringify(reading)
        },
      }
    },
  },
  {
    name: "a config file",
    short: 200,
    input: fc.oneof(
      damaged('{ "governance": "strict", "snapshots": { "keep_days": 3 }, // words\n "split": "off" }'),
      objectOf(json, [...Object.keys(config.shape), "keep_days"].join(" ")).map((value) =>
        Buffer.from(asJson(value)),
      ),
    ),
    async open() {
      const project = join(await tempProject(), "config.json")
      return {
        async give(bytes: Buffer) {
          writeFileSync(project, bytes)
          const loaded = await loadConfig({ user: null, project }, { name: "a test", value: undefined })
          expect(config.safeParse(loaded.config).success).toBe(true)
          for (const problem of loaded.problems) expect(problem).toMatch(/\S/)
        },
      }
    },
  },
  {
    name: "a line in a file of the hive",
    short: 40,
    input: fc.tuple(fc.nat(), fc.nat(), fc.oneof(RECORD, json.map(asJson), text)),
    async open() {
      const { dir, ids } = await filledHive()
      const copy = await tempProject()
      return {
        async give([which, at, line]: [number, number, string]) {
          rmSync(copy, { recursive: true, force: true })
          cpSync(dir, copy, { recursive: true })
          const files = filesIn(hivePaths(copy).root)
          const file = files[which % files.length] ?? ""
          const lines = readFileSync(file, "utf8").split("\n")
          lines.splice(at % (lines.length + 1), 0, line)
          writeFileSync(file, lines.join("\n"))
          const { store } = hiveIn(copy)
          await store.ready()
          for (const id of ids)
            expect(store.read().state.mem.has(id) || store.archive.has(id), file).toBe(true)
          const hive = hiveIn(copy)
          await drain(hive)
          await saveHere(hive)
          await store.close()
        },
      }
    },
  },
  {
    name: "a command in the queue",
    short: 30,
    input: objectOf(json, "content mem task entry reason snapshot paths json file kind"),
    async open() {
      const hive = hiveIn(gitRepo(await tempProject()))
      await saveHere(hive)
      const names = queuedCommand.options.map(({ shape }) => shape.do.value)
      let given = 0
      return {
        async give(command: object) {
          const named = { ...command, do: names[given % names.length] }
          const id = uuid(given++)
          const line = { at: new Date(0).toISOString(), from: "fuzz", command: named, id }
          appendFileSync(hivePaths(hive.home).queue, `\n${asJson(line)}\n`)
          await drain(hive)
          expect(queueContents(hive).waiting.size).toBe(0)
          expect(queueContents(hive).finished.get(id)?.outcome).toBeDefined()
        },
        end: () => expect(contents(hive)).toContain(STAYS),
      }
    },
  },
  {
    name: "what an agent gives its hooks",
    short: 60,
    input: fc.tuple(
      fc.oneof(fc.constantFrom("claude", "codex", "gemini"), text),
      fc.constantFrom(...HOOK_EVENTS),
      objectOf(json, HOOK_FIELDS),
      fc.constantFrom(...HOOK_TOOLS),
    ),
    async open() {
      const { dir, service } = await claudeIn()
      return {
        async give([agent, hook_event_name, given, tool_name]: [string, string, object, string]) {
          const payload = { session_id: "ses_1", cwd: dir, tool_name, ...given, hook_event_name }
          const answer = await service.answer({ agent, directory: dir, payload })
          // A text, or the form of the agent.
          if (answer.startsWith("{")) JSON.parse(answer)
        },
        // An error of ours ends no hook: the log has it.
        async end() {
          await service.close()
          const { logDir } = hivePaths(dir)
          const log = (existsSync(logDir) ? filesIn(logDir) : []).map((file) => readFileSync(file, "utf8"))
          const lines = log.join("").split("\n")
          expect(lines.filter((line) => line.includes("failed"))).toEqual([])
        },
      }
    },
  },
  {
    name: "a line on the socket of the hooks",
    short: 40,
    input: fc.oneof(text, json.map(asJson), objectOf(json, "agent directory payload").map(asJson)),
    async open() {
      const { service, dir } = await claudeIn()
      // No process has the id: this one may serve hooks of its own.
      const id = 2 ** 22 + process.pid
      const listening = await listenForHooks(id, service.answer)
      onTestFinished(listening.close)
      const path = `/tmp/hivemind-${process.getuid?.()}/${id}.sock`
      const ask = async (line: string) => {
        const connection = createConnection(path)
        connection.write(`${line.replaceAll("\n", " ")}\n`)
        return await readAll(connection)
      }
      return {
        give: ask,
        async end() {
          const event = { session_id: "ses_1", cwd: dir, hook_event_name: "UserPromptSubmit" }
          const payload = { ...event, prompt: "Go on" }
          expect(await ask(asJson({ agent: "claude", directory: dir, payload }))).toContain("hivemind")
        },
      }
    },
  },
  {
    name: "a line on the input of the MCP server",
    short: 150,
    input: fc.oneof(
      text,
      json.map(asJson),
      fc
        .tuple(
          fc.constantFrom(...MCP_METHODS),
          objectOf(json, "name arguments uri _meta"),
          fc.oneof(fc.nat(), text),
        )
        .map(([method, params, id]) => asJson({ jsonrpc: "2.0", method, params, id })),
    ),
    async open() {
      const child = spawn(process.execPath, [CLI, "mcp"], {
        cwd: gitRepo(await tempProject()),
        env: { PATH: process.env["PATH"], HOME: await tempProject() },
        stdio: ["pipe", "pipe", "ignore"],
      })
      onTestFinished(() => void child.kill("SIGKILL"))
      let said = ""
      child.stdout.setEncoding("utf8").on("data", (part: string) => (said += part))
      const write = (line: string) => child.stdin.write(`${line.replaceAll("\n", " ")}\n`)
      return {
        give: write,
        async end() {
          write(asJson({ jsonrpc: "2.0", method: "ping", id: "the last one" }))
          await expect.poll(() => said).toContain('"id":"the last one"')
          // Nothing but messages is printed.
          for (const line of said.trim().split("\n")) expect(JSON.parse(line).jsonrpc).toBe("2.0")
        },
      }
    },
  },
  {
    name: "a request to the dashboard",
    short: 150,
    input: fc.record({
      method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"),
      path: fc.oneof(
        fc
          .tuple(
            fc.constantFrom(...DASHBOARD_PATHS),
            fc.dictionary(fc.constantFrom("project", "id", "q", "since", "limit", "session"), text),
          )
          .map(([path, query]) => `${path}?${new URLSearchParams(query)}`),
        text.map((each) => `/${encodeURI(each.replace(/\p{Surrogate}/gu, ""))}`),
      ),
      body: fc.oneof(
        json.map(asJson),
        objectOf(json, "content mem task").map((given) => asJson({ command: { ...given, do: "save_mem" } })),
        text,
      ),
      headers: fc.dictionary(
        fc.constantFrom("accept", "x-hivemind", "origin", "sec-fetch-site", "range", "if-none-match"),
        fc.constantFrom("1", "*/*", "null", "text/html", "bytes=9-1", "same-origin"),
      ),
    }),
    async open() {
      const { dashboard, cookie } = await served()
      return {
        async give({ path, method, headers, body }: DashboardRequest) {
          const answer = await ask(dashboard, path, { cookie, ...headers }, method, body)
          expect(answer.status, answer.body).toBeLessThan(500)
          const isJson = answer.headers["content-type"]?.startsWith("application/json") === true
          if (isJson && method !== "HEAD") JSON.parse(answer.body)
        },
      }
    },
  },
  {
    name: "the file of a past session",
    short: 40,
    failedBefore: [["opencode1.db", 0, 1256651500, {}]],
    input: fc.tuple(
      ...([fc.constantFrom(...readdirSync(SESSIONS)), fc.nat(), fc.integer()] as const),
      objectOf(json, SESSION_FIELDS),
    ),
    async open() {
      const hive = hiveIn(gitRepo(await tempProject()))
      await saveHere(hive)
      const folder = await tempProject()
      return {
        async give([name, at, seed, entry]: [string, number, number, object]) {
          const file = join(folder, name)
          const bytes = readFileSync(join(SESSIONS, name))
          const lines = bytes.toString("utf8").split("\n")
          // A line whose fields are others, or damage anywhere.
          const isLine = seed % 2 === 0 && name.endsWith(".jsonl")
          const line = parsedLine(lines[at % lines.length])
          lines[at % lines.length] = asJson({ ...line, ...entry })
          writeFileSync(file, isLine ? lines.join("\n") : damageOf(bytes, randomFrom(seed)).bytes)
          const { sessions } = await importSessions(hive, await sessionsIn(file))
          // Read, or said to be unreadable: never passed over.
          expect(sessions.read + sessions.known + sessions.unreadable.length).toBe(sessions.found)
          rmSync(file)
        },
        async end() {
          expect(await hive.store.compareWithLog()).toEqual([])
          expect(contents(hive)).toContain(STAYS)
        },
      }
    },
  },
  {
    name: "an older layout, with a file changed",
    short: 12,
    input: fc.tuple(fc.constantFrom(...readdirSync(LEGACY)), fc.nat(), fc.integer()),
    async open() {
      return {
        async give([layout, which, seed]: [string, number, number]) {
          const dir = await tempProject()
          copyOldLayout(layout, dir)
          changeOneFile(dir, which, seed)
          const before = contentsOf(dir)
          const hive = hiveIn(dir)
          await migrate(hive)
          // Wherever it lies now: every file is there as it was.
          const after = new Set(contentsOf(dir))
          expect(before.filter((content) => !after.has(content))).toEqual([])
          expect(await hive.store.compareWithLog()).toEqual([])
          await hive.store.close()
        },
      }
    },
  },
  {
    name: "another tool's files, with one changed",
    short: 12,
    input: fc.tuple(fc.constantFrom(...IMPORT_TOOLS), fc.nat(), fc.integer()),
    async open() {
      return {
        async give([tool, which, seed]: [ImportTool, number, number]) {
          const hive = await projectOf(tool)
          changeOneFile(hive.dir, which, seed)
          const before = contentsOf(hive.dir)
          try {
            await importFrom(hive, tool, sourceOf(hive, tool))
          } finally {
            const after = new Set(contentsOf(hive.dir))
            expect(before.filter((content) => !after.has(content))).toEqual([])
            await hive.store.close()
          }
        },
      }
    },
  },
]

function almostRight(tool: string) {
  const rightCalls: readonly object[] = CALLS[tool] ?? [{ action: "status" }]
  return fc.constantFrom(...rightCalls).chain((right) => {
    const name = fc.constantFrom(...Object.keys(right), "reason")
    const replaced = fc.array(fc.tuple(name, fc.oneof(text, json)), { maxLength: 2 })
    return replaced.map((given) => ({ ...right, ...Object.fromEntries(given) }))
  })
}

const CALLS: Record<string, object[]> = {
  hivemind_memory: [
    { action: "save", content: "In cents.", kind: "decision", tags: ["money"], evidence: ["a.txt:1"] },
    { action: "recall", query: "amounts", limit: 3 },
    { action: "flag", mem_id: "00000000", reason: "It was wrong." },
    { action: "list", shelf: "context" },
    { action: "tree" },
  ],
  hivemind_plan: [
    { action: "create", title: "Ship it", acceptance: ["It works."], phases: ["One"] },
    { action: "status" },
  ],
  hivemind_task: [
    { action: "start", task_id: "1" },
    { action: "complete", evidence: "Done." },
  ],
  hivemind_anchor: [
    { action: "save", key: "port", value: "8080", priority: "high" },
    { action: "get", key: "port" },
    { action: "update", key: "port", value: "1" },
  ],
  hivemind_session: [
    { action: "start", intent: "Repair the importer" },
    { action: "update", intent: "Now the exporter" },
    { action: "restore", snapshot: "S1", paths: ["a.txt"] },
    { action: "resume", session: "ses_0" },
  ],
  hivemind_inspect: [
    { action: "deep", id: "ses_1" },
    { action: "trace", stamp: "301411022026" },
  ],
  hivemind_delegate: [{ action: "assign", task_id: "1", agent: "hive-executor", brief: "Do it." }],
  hivemind_codemap: [{ action: "graph", path: "a.txt" }],
  hivemind_cycle: [{ action: "export" }, { action: "prune", keep: 1 }],
  hivemind_shell: [{ command: "ls", timeout_ms: 100 }],
}

interface DashboardRequest {
  method: string
  path: string
  body: string
  headers: Record<string, string>
}

/** Nobody allows a command: texts by chance must not run. */
const notAllowed = async () => {
  throw new HiveError({
    code: "not_allowed",
    what: "No.",
    why: "A test.",
    use_instead: "None.",
    evidence: "",
  })
}
const caller = { session: "ses_1", agent: "build", running: { ...anyCommand, mayRun: notAllowed } }
const STAYS = "This one stays."

const saveHere = (hive: Hive, content = STAYS) =>
  saveMem(hive, { ...caller, tool: "hivemind_memory.save" }, { content })

const contents = ({ store }: Hive) => [...store.read().state.mem.values()].map(({ content }) => content)
const shortName = (tool: string) => tool.slice("hivemind_".length) as ToolName

async function filledHive(): Promise<{ dir: string; ids: string[] }> {
  const dir = await tempProject()
  const hive = hiveIn(dir)
  const ids: string[] = []
  for (let n = 0; n < 6; n++) {
    ids.push((await saveHere(hive, `Fact ${n}: amounts are kept in cents of currency ${n}`)).id)
    if (n % 2 === 1) await hive.store.fold()
  }
  await hive.store.close()
  return { dir, ids }
}

function parsedLine(line: string | undefined): object {
  try {
    return JSON.parse(line ?? "")
  } catch {
    return {} // The last one is empty.
  }
}

function changeOneFile(dir: string, which: number, seed: number): void {
  const files = filesIn(dir)
  const file = files[which % files.length] ?? ""
  writeFileSync(file, damageOf(readFileSync(file), randomFrom(seed)).bytes)
}

function filesIn(dir: string): string[] {
  const all = readdirSync(dir, { recursive: true, encoding: "utf8" }).sort()
  return all.map((name) => join(dir, name)).filter((path) => statSync(path).isFile())
}

const contentsOf = (dir: string) => filesIn(dir).map((file) => readFileSync(file, "latin1"))
