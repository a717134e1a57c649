import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { pack } from "../../../src/context/pack/pack.ts"
import { headOf } from "../../../src/graph/read-head.ts"
import { changedEvidence, confidenceAt, evidenceCheck } from "../../../src/knowledge/memory/evidence.ts"
import { accessOf } from "../../../src/knowledge/memory/find.ts"
import { defined } from "../../support/defined.ts"
import { fileHive } from "../../support/file-hive.ts"
import { beginWork, SESSION } from "../../support/hive-at-work.ts"
import { T0 } from "../../support/records.ts"
import { callTool } from "../../tools/call-tool.ts"

async function projectWithFile() {
  const hive = await fileHive()
  await beginWork(hive)
  const file = join(hive.dir, "src", "auth.ts")
  mkdirSync(join(hive.dir, "src"))
  const write = (text: string) => writeFileSync(file, text)
  write("export const TTL = 900\n")
  const save = async (...evidence: string[]) => {
    const { entity_id } = await callTool(hive, "memory", {
      action: "save",
      content: "Tokens live fifteen minutes",
      kind: "fact",
      evidence,
    })
    return defined(hive.store.read().state.mem.get(entity_id))
  }
  const reason = (id: string) => {
    const { state } = hive.store.read()
    const options = { now: hive.source.now(), budget: 3750, more: "ask", evidence: evidenceCheck(hive.dir) }
    return pack(state, headOf(state, SESSION), options).items.find((item) => item.id === id)?.reason
  }
  return { hive, file, write, save, reason }
}

it("a save takes the hash of every file it names, with or without a line, and leaves the rest as it is", async () => {
  const { save } = await projectWithFile()
  const given = [
    "src/auth.ts",
    "src/auth.ts:1",
    "src/auth.ts:1-3",
    "src/gone.ts",
    "RFC 7519, section 4",
    "src",
    "../x",
  ]
  const { evidence } = await save(...given, "src/auth.ts@0123456")
  const [hashed = ""] = evidence
  expect(hashed).toMatch(/^src\/auth\.ts@[0-9a-f]{16}$/)
  const hash = hashed.slice(hashed.indexOf("@"))
  expect(evidence).toEqual([
    `src/auth.ts${hash}`,
    `src/auth.ts:1${hash}`,
    `src/auth.ts:1-3${hash}`,
    ...given.slice(3),
    "src/auth.ts@0123456",
  ])
})

it("a changed file makes the mem unverified, a restored one verified again, and the block says which", async () => {
  const { hive, file, write, save, reason } = await projectWithFile()
  const mem = await save("src/auth.ts:1")
  expect(reason(mem.id)).not.toContain("unverified")
  write("export const TTL = 3600\n")
  expect(changedEvidence(mem.evidence, evidenceCheck(hive.dir))).toEqual(["src/auth.ts"])
  expect(reason(mem.id)).toContain("unverified: src/auth.ts has changed")
  write("export const TTL = 900\n")
  expect(reason(mem.id)).not.toContain("unverified")
  rmSync(file)
  expect(reason(mem.id)).toContain("unverified: src/auth.ts has changed")
})

it("confidence falls with age and while unverified, but never to zero", () => {
  const mem = { confidence: 0.8, created_at: new Date(T0).toISOString() }
  const after = (days: number, isUnverified = false) =>
    confidenceAt(mem, T0 + days * 86_400_000, isUnverified)
  expect(after(0)).toBeCloseTo(0.8)
  expect(after(30)).toBeCloseTo(0.4)
  expect(after(30, true)).toBeCloseTo(0.2)
  expect(after(10_000)).toBeCloseTo(0.24)
})

it("recalled mems are counted, locally, also after a restart", async () => {
  const { hive, save } = await projectWithFile()
  const mem = await save()
  const other = await callTool(hive, "memory", { action: "save", content: "Bread needs salt", kind: "fact" })
  const entries = (await hive.store.log()).length
  for (let n = 0; n < 2; n++)
    await callTool(hive, "memory", { action: "recall", query: "how long do tokens live" })
  await hive.store.fold()
  const { state } = hive.store.read()
  expect(accessOf(state, mem.id)).toEqual({ count: 2, at: expect.stringMatching(/^2026-02-11T/) })
  expect(accessOf(state, other.entity_id)).toEqual({ count: 0, at: null })
  expect((await hive.store.log()).length).toBe(entries)
})
