import { join } from "node:path"
import type { MappedFile } from "../../schemas/codemap.ts"
import { listSomeFiles, type ProjectFile } from "../files/list-files.ts"
import { signatureOf } from "../tree/file-signature.ts"
import { languageOf } from "./source/languages.ts"

/**
 * What stands at paths that are said to have changed; `gone` are those of the map that are no more. Undefined where only
 * a look at the whole project can tell: by a configuration, imports of other files may lead elsewhere.
 */
export async function filesAt(
  dir: string,
  paths: readonly string[],
  known: ReadonlyMap<string, MappedFile>,
): Promise<{ files: ProjectFile[]; gone: string[] } | undefined> {
  if (paths.length > MAX_PATHS || paths.some((path) => path.endsWith(".json"))) return undefined
  const files: ProjectFile[] = []
  const gone: string[] = []
  const fresh: string[] = []
  for (const path of paths) {
    if (languageOf(path) === undefined) continue
    const { signature, stat } = signatureOf(join(dir, path))
    if (stat?.isFile() !== true) gone.push(path)
    else if (known.has(path)) files.push({ path, bytes: Number(stat.size), signature })
    else fresh.push(path)
  }
  if (fresh.length === 0) return { files, gone }
  // One that nobody has seen may be ignored.
  const listed = await listSomeFiles(dir, fresh)
  return listed === undefined ? undefined : { files: [...files, ...listed], gone }
}

const MAX_PATHS = 100
