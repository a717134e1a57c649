import { createHash } from "node:crypto"
import { basename } from "node:path"
import type { Hive } from "../hive/hive.ts"

/** One of the projects that a dashboard shows. */
export interface Project {
  id: string
  name: string
  hive: Hive
}

export function projectOf(hive: Hive): Project {
  const id = createHash("sha1").update(hive.home).digest("hex").slice(0, 8)
  return { id, name: basename(hive.dir), hive }
}
