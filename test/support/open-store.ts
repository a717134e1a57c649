import { systemSource } from "../../src/shared/ids.ts"
import { type FileStoreOptions, openFileStore } from "../../src/store/file-store.ts"
import { createLayout, hivePaths } from "../../src/store/files/layout.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import type { Store } from "../../src/store/store.ts"
import { tempProject } from "./temp-project.ts"

export function openStore(project: string, options: Partial<FileStoreOptions> = {}): Store {
  return openFileStore(project, { source: systemSource, ...options })
}

/** For `leaving`: superseded mems go to the archive. */
export const superseded: NonNullable<FileStoreOptions["leaving"]> = ({ mem }) =>
  [...mem.values()].filter(({ status }) => status === "superseded")

export async function newStore(options: Partial<FileStoreOptions> = {}) {
  const project = await tempProject()
  await createLayout(project)
  const paths = hivePaths(project)
  return { project, paths, segment: segmentPath(paths.log, 1), store: openStore(project, options) }
}
