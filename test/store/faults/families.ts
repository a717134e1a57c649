import { failEachCall } from "./failures.ts"
import { killBeforeEachCall } from "./kills.ts"
import type { Lab } from "./lab.ts"
import { stopBeforeEachCall } from "./stops.ts"
import type { Row } from "./table.ts"

interface Family {
  /** Every step. */
  long: (lab: Lab) => Promise<Row[]>
  /** The same with coarser steps, for every day. */
  short: (lab: Lab) => Promise<Row[]>
}

export const families: Readonly<Record<string, Family>> = {
  kills: { long: (lab) => killBeforeEachCall(lab, 1), short: (lab) => killBeforeEachCall(lab, 6) },
  stops: { long: (lab) => stopBeforeEachCall(lab, 1, 4), short: (lab) => stopBeforeEachCall(lab, 40, 2) },
  failures: {
    long: (lab) => failEachCall(lab, Number(process.env["STEP"] ?? 1), 3),
    short: (lab) => failEachCall(lab, 23, 2),
  },
}
