import { appendFileSync, rmSync, statSync, truncateSync } from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import type { Check } from "../../../src/cli/doctor/check.ts"
import { systemSource } from "../../../src/shared/ids.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { commitManifest, newestManifest, removeManifest } from "../../../src/store/snapshot/manifest.ts"
import { changeUnlogged } from "../../support/parts.ts"
import { aMem, by, uuid } from "../../support/records.ts"
import { editHive, fillProject, MEM, withStore } from "../filled-project.ts"
import { cli, cliProcess, useSandbox } from "../harness.ts"

const box = useSandbox()
beforeEach(async () => {
  await cli(box, ["init", "--yes", "--plugin", "hivemind-opencode"])
  await fillProject(box.project)
  await fold()
})

const hive = (path: string) => join(box.project, ".hivemind", path)
const fold = () => withStore(box.project, (store) => store.fold())
const FIRST = "graph/log/000001.jsonl"

async function logCheck(): Promise<Check> {
  const { stdout } = await cli(box, ["doctor", "--no-start", "--json"])
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  const check = checks.find(({ name }) => name === "log")
  if (check === undefined) throw new Error(`no check of the log in ${stdout}`)
  return check
}

describe("doctor replays the log", () => {
  test("and finds that it makes the same graph, also beside what is not folded yet", async () => {
    await withStore(box.project, (store) => store.append(by, (tx) => tx.add("mem", aMem(30))))
    expect(await logCheck()).toEqual({
      name: "log",
      level: "ok",
      found: ["replayed: it makes the same graph"],
      mend: null,
    })
  })

  test("and names a record that was changed without an entry, its fields and what to do", async () => {
    await changeUnlogged(box.project, "mems", (text) => text.replace("Use jose", "Use another"))
    const { stdout } = await cliProcess(box, ["doctor", "--no-start"])
    expect(stdout).toContain("warning  log             replayed: it does not make the same graph\n")
    expect(stdout).toContain(`mem ${MEM} is not as the log has it: content\n`)
    expect(stdout).toContain("→ The record in the graph is in use.")
  })

  test("and names a record that no entry has made, and one that no entry has removed", async () => {
    await changeUnlogged(box.project, "mems", (text) => text.replaceAll(MEM, uuid(99)))
    expect(await logCheck()).toMatchObject({
      level: "trouble",
      found: [
        "replayed: it does not make the same graph",
        `mem ${uuid(99)} is in the graph, but not in the log`,
        expect.stringMatching(/^→ The record in the graph is in use\./),
        `mem ${MEM} is in the log, but not in the graph`,
        expect.stringMatching(/^→ `hivemind doctor --repair` brings it back/),
      ],
    })
    const { stdout } = await cliProcess(box, ["doctor", "--repair", "--no-start"])
    expect(stdout).toContain("1 record brought back from the log")
    expect((await logCheck()).found).not.toContain(`mem ${MEM} is in the log, but not in the graph`)
  })

  test("and misses a file of the log that is gone", async () => {
    await withStore(box.project, (store) => store.append(by, (tx) => tx.add("mem", aMem(30))))
    await fold()
    rmSync(hive(FIRST))
    const { code, stdout } = await cliProcess(box, ["doctor", "--no-start"])
    expect(code).toBe(1)
    expect(stdout).toContain(`${FIRST} is gone\n`)
    expect(stdout).toContain("→ Put the file back, from git or a backup")
    expect(stdout).toMatch(/and \d+ more\n/)
    expect(stdout).not.toContain(`mem ${uuid(30)}`)
  })

  test("and sees that a file of the log was cut, though every line left is whole", async () => {
    const { size } = statSync(hive(FIRST))
    const seal = '\n{"seal":1,"sum":"0123456789"}'.length
    truncateSync(hive(FIRST), size - seal)
    expect(await logCheck()).toMatchObject({
      level: "trouble",
      found: [expect.anything(), `${FIRST} has lost its end`, expect.stringMatching(/^→ Put the file back/)],
    })
  })

  test("and reports a damaged line, though nothing needs it for a turn", async () => {
    editHive(box.project, FIRST, (text) => text.replace("Use jose", "Use dose"))
    expect(await logCheck()).toMatchObject({
      level: "warning",
      found: [
        expect.anything(),
        expect.stringMatching(/^graph\/log\/000001\.jsonl:7: the line's checksum .* does not fit/),
        expect.stringMatching(/^→ Put the file back as it was/),
        `mem ${MEM} is in the graph, but not in the log`,
        expect.anything(),
      ],
    })
  })

  test("and misses archived mems whose file is gone", async () => {
    const leaving = openFileStore(box.project, {
      source: systemSource,
      leaving: ({ mem }) => [...mem.values()],
    })
    await leaving.append(by, (tx) => tx.add("mem", aMem(30)))
    await leaving.fold()
    await leaving.fold()
    await leaving.close()
    expect((await logCheck()).level).toBe("ok")
    const [archived] = await readdir(hive("graph/archive"))
    await rm(hive(join("graph/archive", archived ?? "")))
    const { level, found } = await logCheck()
    expect(level).toBe("trouble")
    expect(found).toContain(`mem ${MEM} is in the log, but not in the archive`)
    expect(found).toContain(`mem ${uuid(30)} is in the log, but not in the archive`)
    const { stdout } = await cliProcess(box, ["doctor", "--no-start", "--repair"])
    expect(stdout).toContain("ok       repair          folded up to segment")
    expect(stdout).toContain("ok       files           all in order\n")
    expect(stdout).toContain("ok       log             replayed: it makes the same graph\n")
  })

  test("and names the place of a line that was taken out of a sealed segment, also after later folds", async () => {
    await withStore(box.project, async (store) => {
      for (let n = 0; n < 60; n++) await store.write(by, (tx) => tx.set("mem", MEM, { tags: [`t${n}`] }))
    })
    await fold()
    const second = "graph/log/000002.jsonl"
    expect((await logCheck()).level).toBe("ok")
    // The graph is the same without it: only the checksum shows that it is gone.
    editHive(box.project, second, (text) => text.replace(/\n[^\n]*"t30"[^\n]*(?=\n[^\n]*"t31")/, ""))
    for (const more of [0, 1]) {
      const { level, found } = await logCheck()
      expect(level).toBe("trouble")
      const place = found.find((line) => line.includes("a line was taken out")) ?? ""
      expect(place).toMatch(/^graph\/log\/000002\.jsonl:\d+-\d+: .* \(bytes \d+ to \d+\)$/)
      const [, from = 0, to = 0] = /:(\d+)-(\d+):/.exec(place)?.map(Number) ?? []
      expect(from).toBeLessThanOrEqual(32)
      expect(to).toBeGreaterThanOrEqual(31)
      expect(to - from).toBeLessThan(20)
      if (more === 1) break
      await withStore(box.project, (store) => store.append(by, (tx) => tx.add("mem", aMem(30))))
      await fold()
    }
  })

  test("and claims nothing of a segment without a checksum, as older versions sealed them", async () => {
    const { graph } = hivePaths(box.project)
    const { manifest } = newestManifest(graph)
    expect(manifest.sealed).toMatchObject([{ segment: 1 }])
    removeManifest(graph, manifest.number)
    await commitManifest(graph, { ...manifest, sealed: [] })
    expect((await logCheck()).level).toBe("ok")
    editHive(box.project, FIRST, (text) => `${text}\n{"id":"late"}`)
    expect((await logCheck()).level).toBe("ok")
  })

  test("and takes a line that a refused write has torn for a note, before and after a fold", async () => {
    const torn =
      '\n{"id":"00000000-0000-4000-8000-00000000ffff","at":"2026-02-11T14:30:00.000Z","by":{"tool":"te'
    appendFileSync(hive("graph/log/000002.jsonl"), torn)
    await withStore(box.project, (store) => store.append(by, (tx) => tx.add("mem", aMem(30))))
    const { code, stdout } = await cliProcess(box, ["status"])
    expect(code).toBe(0)
    expect(stdout).toContain("a write was interrupted here and was not acknowledged")
    await fold()
    expect(await logCheck()).toMatchObject({
      level: "ok",
      found: [
        "replayed: it makes the same graph",
        "graph/log/000002.jsonl:2: a write was interrupted here and was not acknowledged",
        expect.stringMatching(/^→ Nothing to do/),
      ],
    })
    // The same in a line that was whole when its segment was sealed is damage.
    editHive(box.project, "graph/log/000002.jsonl", (text) => text.replace(/"content":"Mem 30".*/, ""))
    const { level, found } = await logCheck()
    expect(level).toBe("trouble")
    expect(found).toContain("graph/log/000002.jsonl:3: a write was interrupted here and was not acknowledged")
    expect(found.some((line) => line.includes("a line was taken out"))).toBe(true)
  })
})
