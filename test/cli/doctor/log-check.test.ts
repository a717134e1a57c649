import { appendFileSync, rmSync, statSync, truncateSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Check } from "../../../src/cli/doctor/check.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { commitManifest, newestManifest, removeManifest } from "../../../src/store/snapshot/manifest.ts"
import { changeUnlogged } from "../../support/parts.ts"
import { by, uuid } from "../../support/records.ts"
import { addMem, archiveMems, editHive, fillProject, fold, MEM, withStore } from "../filled-project.ts"
import { cli, cliJson, cliProcess, useSandbox } from "../harness.ts"

const box = useSandbox(async (sandbox) => {
  await cli(sandbox, "init --yes --plugin hivemind-opencode")
  const filled = await fillProject(sandbox.project)
  await fold(sandbox.project)
  return filled
})
const hive = (path: string) => join(box.project, ".hivemind", path)
const [FIRST, SECOND] = ["graph/log/000001.jsonl", "graph/log/000002.jsonl"]
const SAME = "replaying the log gives the same graph"
const OTHER = "replaying the log does not give the same graph"

async function logCheck(): Promise<Check> {
  const { checks } = (await cliJson(box, "doctor --no-start")) as { checks: Check[] }
  const check = checks.find(({ name }) => name === "log")
  if (check === undefined) throw new Error("no check of the log")
  return check
}

describe("doctor replays the log", () => {
  test("and names a record that was changed without an entry, its fields and what to do", async () => {
    await changeUnlogged(box.project, "mems", (text) => text.replace("Use jose", "Use another"))
    const { stdout } = await cliProcess(box, "doctor --no-start")
    expect(stdout).toContain(`warning  log             ${OTHER}\n`)
    expect(stdout).toContain(`mem ${MEM} differs from the log: content
`)
    expect(stdout).toContain("→ HiveMind uses the graph files, not the log.")
  })

  test("and names a record that no entry has created, and a missing one that no entry has removed", async () => {
    await changeUnlogged(box.project, "mems", (text) => text.replaceAll(MEM, uuid(99)))
    const lost = `mem ${MEM} is in the log, but not in the graph`
    expect(await logCheck()).toMatchObject({
      level: "trouble",
      found: [
        OTHER,
        `mem ${uuid(99)} is in the graph, but not in the log`,
        expect.stringMatching(/^→ HiveMind uses the graph files, not the log\./),
        lost,
        expect.stringMatching(/^→ `hivemind doctor --repair` brings it back/),
      ],
    })
    const { stdout } = await cliProcess(box, "doctor --repair --no-start")
    expect(stdout).toContain("1 record brought back from the log")
    expect((await logCheck()).found).not.toContain(lost)
  })

  test("and reports a missing file of the log", async () => {
    await addMem(box.project, 30)
    await fold(box.project)
    rmSync(hive(FIRST))
    const { code, stdout } = await cliProcess(box, "doctor --no-start")
    expect(code).toBe(1)
    expect(stdout).toContain(`${FIRST} is gone\n`)
    expect(stdout).toContain("→ Put the file back, from git or a backup")
    expect(stdout).toMatch(/and \d+ more\n/)
    expect(stdout).not.toContain(`mem ${uuid(30)}`)
  })

  test("and reports that a file of the log was cut, even if its last line is complete", async () => {
    const seal = '\n{"seal":1,"sum":"0123456789"}'.length
    truncateSync(hive(FIRST), statSync(hive(FIRST)).size - seal)
    const found = [OTHER, `${FIRST} has lost its end`, expect.stringMatching(/^→ Put the file back/)]
    expect(await logCheck()).toMatchObject({ level: "trouble", found })
  })

  test("and reports a damaged line, even if no turn needs it", async () => {
    editHive(box.project, FIRST, (text) => text.replace("Use jose", "Use dose"))
    expect(await logCheck()).toMatchObject({
      level: "warning",
      found: [
        OTHER,
        expect.stringMatching(/^graph\/log\/000001\.jsonl:7: the line's checksum is missing or wrong/),
        expect.stringMatching(/^→ Put the file back as it was/),
        `mem ${MEM} is in the graph, but not in the log`,
        expect.anything(),
      ],
    })
  })

  test("and reports archived mems whose file is missing", async () => {
    await addMem(box.project, 30)
    await archiveMems(box.project)
    expect((await logCheck()).level).toBe("ok")
    const [archived] = await readdir(hive("graph/archive"))
    await rm(hive(join("graph/archive", archived ?? "")))
    const advice = "→ Nothing to do: HiveMind will write its mems into a new file, from the log."
    for (const args of ["status", "doctor --no-start"]) {
      const { stdout } = await cli(box, args)
      for (const part of [`.hivemind/graph/archive/${archived}`, advice]) expect(stdout).toContain(part)
    }
    const { level, found } = await logCheck()
    expect(level).toBe("trouble")
    for (const id of [MEM, uuid(30)])
      expect(found).toContain(`mem ${id} is in the log, but not in the archive`)
    const { stdout } = await cliProcess(box, "doctor --no-start --repair")
    expect(stdout).toContain("ok       repair          tidied the log up to segment")
    expect(stdout).toContain("ok       files           all in order\n")
    expect(stdout).toContain(`ok       log             ${SAME}\n`)
  })

  test("and names the place of a line that was removed from a sealed segment, also after later folds", async () => {
    await withStore(box.project, async (store) => {
      for (let n = 0; n < 60; n++) await store.write(by, (tx) => tx.set("mem", MEM, { tags: [`t${n}`] }))
    })
    await fold(box.project)
    expect((await logCheck()).level).toBe("ok")
    // The graph is the same without it: only the checksum shows that it is gone.
    editHive(box.project, SECOND, (text) => text.replace(/\n[^\n]*"t30"[^\n]*(?=\n[^\n]*"t31")/, ""))
    for (const next of [30, 31]) {
      const { level, found } = await logCheck()
      expect(level).toBe("trouble")
      const place = found.find((line) => line.includes("a line was removed")) ?? ""
      expect(place).toMatch(/^graph\/log\/000002\.jsonl:\d+-\d+: .* \(bytes \d+ to \d+\)$/)
      const [, from = 0, to = 0] = /:(\d+)-(\d+):/.exec(place)?.map(Number) ?? []
      expect([from <= 32, to >= 31, to - from < 20]).toEqual([true, true, true])
      await addMem(box.project, next)
      await fold(box.project)
    }
  })

  test("and reports nothing about a segment without a checksum, as older versions wrote them", async () => {
    const { graph } = hivePaths(box.project)
    const { manifest } = newestManifest(graph)
    expect(manifest.sealed).toMatchObject([{ segment: 1 }])
    removeManifest(graph, manifest.number)
    await commitManifest(graph, { ...manifest, sealed: [] })
    expect((await logCheck()).level).toBe("ok")
    editHive(box.project, FIRST, (text) => `${text}\n{"id":"late"}`)
    expect((await logCheck()).level).toBe("ok")
  })

  test("and only notes an incomplete line of a failed write, before and after a fold", async () => {
    const torn =
      '\n{"id":"00000000-0000-4000-8000-00000000ffff","at":"2026-02-11T14:30:00.000Z","by":{"tool":"te'
    const interrupted = "an interrupted write, which was never reported as saved"
    appendFileSync(hive(SECOND), torn)
    await addMem(box.project, 30)
    expect(await cliProcess(box, "status")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(interrupted),
    })
    await fold(box.project)
    const note = [`${SECOND}:2: ${interrupted}`, expect.stringMatching(/^→ Nothing to do/)]
    expect(await logCheck()).toMatchObject({ level: "ok", found: [SAME, ...note] })
    // The same in a line that was whole when its segment was sealed is damage.
    editHive(box.project, SECOND, (text) => text.replace(/"content":"Mem 30".*/, ""))
    const { level, found } = await logCheck()
    expect(level).toBe("trouble")
    expect(found).toContain(`${SECOND}:3: ${interrupted}`)
    expect(found.some((line) => line.includes("a line was removed"))).toBe(true)
  })
})
