import { rmSync, statSync, truncateSync } from "node:fs"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Check } from "../../../src/cli/doctor/check.ts"
import { systemSource } from "../../../src/shared/ids.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import { checksum } from "../../../src/store/files/checksum.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { commitManifest, newestManifest, removeManifest } from "../../../src/store/snapshot/manifest.ts"
import { partFile } from "../../support/parts.ts"
import { aMem, by, uuid } from "../../support/records.ts"
import { editHive, fillProject, MEM, withStore } from "../filled-project.ts"
import { cli, cliProcess, dropSandbox, makeSandbox, type Sandbox } from "../harness.ts"

let box: Sandbox
beforeEach(async () => {
  box = await makeSandbox()
  await cli(box, ["init", "--yes", "--plugin", "hivemind-opencode"])
  await fillProject(box.project)
  await fold()
})
afterEach(() => dropSandbox(box))

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

/** Changes a part so that its manifest still fits: as if a program had done it, and no entry tells of it. */
async function changeUnlogged(section: string, edit: (text: string) => string): Promise<void> {
  const { graph } = hivePaths(box.project)
  const file = partFile(box.project, section)
  let sum = ""
  editHive(box.project, file, (text) => {
    const edited = edit(text)
    sum = checksum(edited)
    return edited
  })
  const { manifest } = newestManifest(graph)
  removeManifest(graph, manifest.number)
  const parts = manifest.parts.map((part) => (file.endsWith(part.file) ? { ...part, sum } : part))
  await commitManifest(graph, { ...manifest, parts })
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
    await changeUnlogged("mems", (text) => text.replace("Use jose", "Use another"))
    const { stdout } = await cliProcess(box, ["doctor", "--no-start"])
    expect(stdout).toContain("warning  log             replayed: it does not make the same graph\n")
    expect(stdout).toContain(`mem ${MEM} is not as the log has it: content\n`)
    expect(stdout).toContain("→ What the graph has is in use. If it is wrong, correct it in its file")
  })

  test("and names a record that no entry has made, and one that no entry has removed", async () => {
    await changeUnlogged("mems", (text) => text.replaceAll(MEM, uuid(99)))
    expect(await logCheck()).toMatchObject({
      level: "trouble",
      found: [
        "replayed: it does not make the same graph",
        `mem ${uuid(99)} is in the graph, but not in the log`,
        expect.stringMatching(/^→ What the graph has is in use\./),
        `mem ${MEM} is in the log, but not in the graph`,
        expect.stringMatching(/^→ Bring it back/),
      ],
    })
  })

  test("and takes a change by hand for what it is: the next write puts it into the log", async () => {
    editHive(box.project, partFile(box.project, "mems"), (text) => text.replace("Use jose", "Use another"))
    expect(await logCheck()).toMatchObject({
      level: "warning",
      found: [
        "replayed: it does not make the same graph",
        `mem ${MEM} is not as the log has it: content`,
        expect.stringMatching(/^→ Nothing to do: it is in use/),
      ],
    })
    await fold()
    expect((await logCheck()).level).toBe("ok")
  })

  test("and so it does with a record that somebody has taken out of a file", async () => {
    editHive(box.project, partFile(box.project, "anchors"), () => '{"anchors":[]}')
    expect(await logCheck()).toMatchObject({
      level: "warning",
      found: [
        expect.anything(),
        expect.stringMatching(/^anchor \S+ is in the log, but not in the graph$/),
        expect.stringMatching(/^→ Nothing to do: it is in use/),
      ],
    })
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

  test("and reports a damaged line of version 0.1", async () => {
    await mkdir(hive("graph/v1/history"), { recursive: true })
    await writeFile(hive("graph/v1/history/2026-01.jsonl"), '\n{"id": broken\n')
    expect((await logCheck()).found[1]).toBe("graph/v1/history/2026-01.jsonl:2: the line is not an entry")
  })

  test("and misses archived mems whose file is gone", async () => {
    const leaving = openFileStore(box.project, {
      source: systemSource,
      leaving: ({ mem }) => [...mem.values()],
    })
    await leaving.append(by, (tx) => tx.add("mem", aMem(30)))
    await leaving.fold()
    await leaving.close()
    expect((await logCheck()).level).toBe("ok")
    const [archived] = await readdir(hive("graph/archive"))
    await rm(hive(join("graph/archive", archived ?? "")))
    const { level, found } = await logCheck()
    expect(level).toBe("trouble")
    expect(found).toContain(`mem ${MEM} is in the log, but not in the archive`)
    expect(found).toContain(`mem ${uuid(30)} is in the log, but not in the archive`)
  })
})
