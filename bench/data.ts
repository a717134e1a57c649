import { join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * A file of the data that may not be shipped: in the folder that BENCH_DATA names, else in `shared/bench` beside the repository.
 * bench/README.md says what belongs there and where to get it.
 */
export function dataFile(...path: string[]): string {
  return join(process.env["BENCH_DATA"] ?? BESIDE_REPOSITORY, ...path)
}

const BESIDE_REPOSITORY = fileURLToPath(new URL("../../shared/bench", import.meta.url))
