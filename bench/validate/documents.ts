import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileStatusLookup } from "../../src/project/document/file-status.ts"
import { recordFile } from "../../src/project/document/record-file.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { stampOf } from "../../src/shared/stamp.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { sampleMem } from "../sample-mem.ts"

/** Adds that many documents to a project, about 4 KB each, all registered with an open plan: all are checked. */
export async function addDocuments(project: string, count: number): Promise<void> {
  await mkdir(join(project, "docs"), { recursive: true })
  const paths = Array.from({ length: count }, (_, n) => `docs/${n}.md`)
  await Promise.all(paths.map((path, n) => writeFile(join(project, path), document(n))))
  const look = fileStatusLookup(project)
  const now = systemSource.now()
  const at = new Date(now).toISOString()
  const made = { created_at: at, updated_at: at, stamp: stampOf(now) }
  const store = openFileStore(project, { source: systemSource })
  const planId = systemSource.newId()
  await store.write({ tool: "bench", session: null, agent: null }, (tx) => {
    tx.add("plan", {
      id: planId,
      title: "The plan at hand",
      purpose: "work",
      acceptance: [],
      sot_document_path: null,
      depends_on: [],
      owned_by: null,
      status: "active",
      reason: null,
      completed_at: null,
      summary: null,
      ...made,
    })
    for (const path of paths) {
      const state = look(path)
      if (state) recordFile(tx, path, state, { at, stamp: made.stamp, plan_id: planId })
    }
  })
  await store.fold()
  await store.close()
}

function document(n: number): string {
  const sections = Array.from({ length: 10 }, (_, part) => {
    const texts = [0, 1].map((line) => sampleMem(n * 100 + part * 2 + line).content)
    return `## Part ${part} of ${n}\n\n${texts.join("\n\n")}\n`
  })
  return [`# Document ${n}\n`, ...sections].join("\n")
}
