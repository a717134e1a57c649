import { expect, it } from "vitest"
import { onceEach } from "../../src/shared/once-each.ts"

it("an id is new once, however many others there have been long before", () => {
  const isNew = onceEach()
  for (let n = 0; n < 1500; n++) expect([isNew(`id ${n}`), isNew(`id ${n - 1}`)]).toEqual([true, n === 0])
})
