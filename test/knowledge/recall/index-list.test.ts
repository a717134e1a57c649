import { expect, it } from "vitest"
import { openDiskIndex } from "../../../src/knowledge/index/disk-index.ts"
import { posting } from "../../../src/knowledge/index/index-part.ts"
import type { PartContent } from "../../../src/knowledge/index/part-format.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import type { IndexFiles } from "../../../src/store/index-files.ts"
import { uuid } from "../../support/records.ts"

/** An index on a disk in memory. `beforeOpen` runs before a file is opened. */
function memoryDisk() {
  const stored = new Map<string, Buffer>()
  let list: string | undefined
  const hooks = { beforeOpen: () => {} }
  const disk: IndexFiles = {
    list: () => list,
    open(file) {
      hooks.beforeOpen()
      const bytes = stored.get(file)
      const read = (at: number, length: number) => {
        const piece = Buffer.from(new ArrayBuffer(length))
        return piece.subarray(0, bytes?.copy(piece, 0, at, at + length))
      }
      return bytes === undefined ? undefined : { read, close: () => {} }
    },
    async write(pieces) {
      const file = `file-${stored.size}.words`
      stored.set(file, Buffer.concat([...pieces]))
      return file
    },
    async replaceList(_known, text, files) {
      list = text
      for (const name of stored.keys()) if (!files.includes(name)) stored.delete(name)
      return true
    },
    isLocked: () => false,
    unlocked: async () => {},
    isClosed: () => false,
    now: () => 0,
  }
  return { disk, hooks }
}

const content = (): PartContent => ({
  docs: [{ id: uuid(1), detail: '["fact","active",0]', length: 3 }],
  terms: [{ term: "alpha", items: Uint32Array.of(posting(0, 4)) }],
})

it("reads the list again if another process replaces the files while they are loaded", async () => {
  const { disk, hooks } = memoryDisk()
  const other = openDiskIndex(disk)
  const [first, second] = [await other.write(content()), await other.write(content())]
  const progress = { after: uuid(9), walked: null }
  await other.replaceList(progress, [first, second])
  let isReplaced = false
  hooks.beforeOpen = () => {
    if (!isReplaced) void other.replaceList(progress, [second])
    isReplaced = true
  }
  const loaded = runToEnd(openDiskIndex(disk).load())
  expect(loaded?.files.map(({ listed }) => listed.file)).toEqual([second.listed.file])
  expect(loaded?.files[0]?.items("alpha")).toEqual(Uint32Array.of(posting(0, 4)))
  expect(loaded?.files[0]?.items("beta")).toBeUndefined()
})
