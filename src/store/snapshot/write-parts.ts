import { join } from "node:path"
import type { AnyRecord } from "../../schemas/records.ts"
import { explainSystemError } from "../../shared/system-error.ts"
import { writeNewFile } from "../files/atomic-write.ts"
import { checksum } from "../files/checksum.ts"
import { syncFolderAside } from "../files/folder.ts"
import { mkdirSync } from "../files/hive-fs.ts"
import { renderPart } from "./part.ts"
import { type Part, partName } from "./parts.ts"

export interface WrittenPart {
  /** "" for a part that has become empty. */
  file: string
  sum: string
}

/** Writes parts as new files. They count once a manifest names them. */
export async function writeParts(
  folder: string,
  dirty: ReadonlyMap<Part, readonly AnyRecord[]>,
  through: number,
  token: string,
): Promise<Map<Part, WrittenPart>> {
  const written = new Map<Part, WrittenPart>()
  try {
    mkdirSync(folder)
  } catch (error) {
    throw explainSystemError(error, "write the parts of the graph", folder)
  }
  for (const [part, records] of dirty) {
    if (records.length === 0) {
      written.set(part, { file: "", sum: "" })
      continue
    }
    const file = partName(part, through, token)
    const text = renderPart(part.kind, records)
    const path = join(folder, file)
    await writeNewFile(path, text).catch((error: unknown) => {
      throw explainSystemError(error, "write a part of the graph", path)
    })
    written.set(part, { file, sum: checksum(text) })
  }
  await syncFolderAside(folder)
  return written
}
