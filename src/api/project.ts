import * as z from "zod"
import type { Caller, Hive } from "../hive/hive.ts"
import { checked } from "../schemas/checked.ts"

const place = z.string().min(1)

/** What the project is and what its code says of itself. Both are loaded when they are asked for. */
export function projectCalls(hive: Hive, caller: Caller) {
  const scanning = () => import("../knowledge/project/scan-hive.ts")
  const mapping = () => import("../project/codemap/answers.ts")
  const anywhere = (call: string, path: string | undefined) => checked(call, place.optional(), path)
  return {
    /** What the project is. The map and mems about it are kept; where nothing has changed, nothing is written. */
    scan: {
      full: async () => (await scanning()).scanHive(hive, caller, "full"),
      /** Reads only what has changed since the last one. */
      incremental: async () => (await scanning()).scanHive(hive, caller, "incremental"),
      /** What has changed since the last one; null where there was none. Writes nothing. */
      drift: async () => (await (await scanning()).lookForDrift(hive)).drift,
      /** The last one's map; undefined where there was none. */
      map: async () => (await scanning()).knownMap(hive),
    },
    /** What the code says of itself. A path tells of that file or folder alone. */
    codemap: {
      /** Reads what has changed since the last look, and keeps the map. */
      scan: async (path?: string) => (await mapping()).scanCode(hive, anywhere("codemap.scan", path)),
      /** What has changed since the last scan, by file. */
      diff: async () => (await mapping()).diffCode(hive),
      inconsistencies: async (path?: string) =>
        (await (await mapping()).inconsistenciesIn(hive, anywhere("codemap.inconsistencies", path))).found,
      todos: async (path?: string) =>
        (await (await mapping()).todosInCode(hive, anywhere("codemap.todos", path))).todos,
      /** What a file imports, and what may break when it is changed, the nearest first. */
      graph: async (path: string) =>
        (await mapping()).graphAround(hive, checked("codemap.graph", place, path)),
    },
  }
}
