import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { createLayout } from "../../src/store/files/layout.ts"
import { gitRepo } from "../../test/support/git-repo.ts"
import { ms, p50, times } from "../figures.ts"
import type { Bench, Findings, Section } from "../section.ts"

/** What an agent waits for at each of its hooks: a process that asks the running server, one that works alone, and an empty one. */
export const hooksSection: Section = { name: "hooks", title: "A hook of an agent", run }

async function run(bench: Bench): Promise<Findings> {
  const dir = gitRepo(bench.folder())
  await createLayout(dir)
  const home = bench.folder()
  const env = { PATH: process.env["PATH"], HOME: home, CLAUDE_PROJECT_DIR: dir }
  const timed = (args: string[], input = ""): number => {
    const began = performance.now()
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: dir, env, input, encoding: "utf8" })
    if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`)
    return performance.now() - began
  }
  const hook = (n: number) => timed([MAIN, "hook", "claude"], payload(dir, n))
  bench.progress("hooks without a server")
  const alone = Array.from({ length: bench.rounds(ALONE_ROUNDS) }, (_, n) => hook(n))
  // Its hooks find it by the process that has started both: this one.
  const server = spawn(process.execPath, [MAIN, "mcp", "--agent", "claude"], {
    cwd: dir,
    env,
    stdio: ["pipe", "ignore", "inherit"],
  })
  const [empty, asking]: number[][] = [[], []]
  try {
    await once(server, "spawn")
    bench.progress("hooks that ask the server")
    // Until it listens and is warm.
    for (let n = 0; n < WARM_UP; n++) hook(n)
    for (let n = 0; n < bench.rounds(ROUNDS); n++) {
      empty?.push(timed(["-e", "0"]))
      asking?.push(hook(WARM_UP + n))
    }
  } finally {
    server.stdin.end()
    await once(server, "exit")
  }
  const rows = { "node -e 0": empty, "asks the server": asking, alone }
  const figures = Object.fromEntries(
    Object.entries(rows).map(([name, values = []]) => [name, { p50_ms: p50(values), p95_ms: p95(values) }]),
  )
  const ratio = (of: "p50_ms" | "p95_ms") =>
    (figures["asks the server"]?.[of] ?? Number.NaN) / (figures["node -e 0"]?.[of] ?? Number.NaN)
  return {
    table: {
      head: ["", "p50", "p95", "against `node -e 0`, p50 and p95"],
      rows: Object.entries(figures).map(([name, { p50_ms, p95_ms }]) => {
        const against =
          name === "asks the server" ? `${times(ratio("p50_ms"))}, ${times(ratio("p95_ms"))}` : ""
        return [name, ms(p50_ms), ms(p95_ms), against]
      }),
    },
    bars: [
      {
        what: "a hook that asks the running server, against `node -e 0` (p95)",
        value: ratio("p95_ms"),
        unit: "×",
        atMost: 1.5,
      },
      { what: "the same (p50)", value: ratio("p50_ms"), unit: "×" },
    ],
    notes: [
      "PreToolUse of a call that reads a file, so without a snapshot; processes in turn, from start to exit.",
      "Around calls Claude Code and Codex ask the server without a process: see `mcp_tool` in docs/claude-code.md.",
    ],
    figures,
  }
}

function payload(dir: string, n: number): string {
  return JSON.stringify({
    ...{ hook_event_name: "PreToolUse", session_id: "bench", transcript_path: "", cwd: dir },
    ...{ tool_name: "Read", tool_use_id: `toolu_${n}`, tool_input: { file_path: `${dir}/a.txt` } },
  })
}

function p95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN
}

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))
const ROUNDS = 60
const WARM_UP = 10
const ALONE_ROUNDS = 10
