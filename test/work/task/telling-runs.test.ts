// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell has the same sign for its variables
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { hasTellingExit } from "../../../src/work/task/telling-exit.ts"

// Lines of every shape are run by the shell itself, with an `npm` that fails: where one counts, it must fail too.
it("a line whose exit tells fails where its check fails, whatever stands around it", () => {
  const random = randomFrom(7)
  const lines = new Set(Array.from({ length: 3000 }, () => line(random, 3)))
  const telling = [...lines].filter((one) => one.includes("npm") && hasTellingExit(one)).slice(0, 120)
  expect(telling).toHaveLength(120)
  const exits = exitsOf(telling)
  expect(exits).toHaveLength(120)
  expect(telling.filter((_, at) => exits[at] === "0")).toEqual([])
})

/** The exit of each, run one after the other where every `npm` fails. */
function exitsOf(lines: readonly string[]): string[] {
  const dir = mkdtempSync(join(tmpdir(), "hivemind-telling-"))
  try {
    writeFileSync(join(dir, "npm"), "#!/bin/sh\nexit 1\n")
    chmodSync(join(dir, "npm"), 0o755)
    const driver =
      'while IFS= read -r -d "" line; do bash -c "$line" >/dev/null 2>&1 </dev/null; echo $?; done'
    const env = { ...process.env, PATH: `${dir}:${process.env["PATH"]}` }
    const input = lines.map((one) => `${one}\0`).join("")
    return execFileSync("bash", ["-c", driver], { cwd: dir, env, input, encoding: "utf8" }).trim().split("\n")
  } finally {
    rmSync(dir, { recursive: true })
  }
}

function line(random: () => number, depth: number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const inner = () => (depth === 0 ? pick(STEPS) : line(random, depth - 1))
  const around = pick(AROUND)
  return around.replaceAll("X", inner).replaceAll("S", () => pick(STEPS))
}

/** The same numbers from the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

const STEPS = [
  ...[
    "npm test",
    "npm test",
    "npm test",
    "npm run build > log",
    "true",
    "false",
    "echo a",
    "cd .",
    "ls",
    "test -d .",
  ],
  ...[
    "expr 1",
    "cat log",
    "set -e",
    "set -o pipefail",
    "set -euo pipefail",
    "set +e",
    "exit 1",
    "exit 0",
    "exit",
  ],
]
const AROUND = [
  ...[
    "X",
    "X && S",
    "S && X",
    "X || S",
    "S || X",
    "X; S",
    "S; X",
    "X\nS",
    "S\nX",
    "X | S",
    "S | X",
    "X |& cat",
  ],
  ...[
    "(X)",
    "{ X; }",
    "(X) > log 2>&1",
    "! X",
    "if X; then S; fi",
    "if S; then X; fi",
    "if S; then exit 1; fi; X",
  ],
  ...[
    "set -e; X; S",
    "set -o pipefail; X | S",
    "X || exit 1; S",
    "X || exit; S",
    "X || { S; exit 1; }; S",
    "X || (S; exit 1)",
  ],
  ...[
    "X; exit $?",
    "X; s=$?; S; exit $s",
    "X; s=$?; S; exit ${s}",
    "X || { S; false; }",
    "X || (S && exit 1)",
    "X || exit $?",
  ],
  ...[
    "bash -c 'S; S'",
    "bash -ec 'S; S'",
    "bash -o pipefail -c 'S | S' && X",
    "for a in b; do X; done",
    "while X; do break; done",
  ],
  ...[
    "case a in a) X;; esac",
    "time X",
    "X && S || exit 3",
    "(X; exit $?); S",
    "{ X; exit $?; }",
    "S && X && S",
    "(set -e; X; S)",
  ],
]
