import { expect, it } from "vitest"
import { openerFor } from "../../src/dashboard/open-browser.ts"

const URL = "http://127.0.0.1:7337/enter?project=1&secret=s3cret"

it("hands the address whole to what opens a browser, and on macOS not by a command line that others see", () => {
  expect(openerFor("linux", URL)).toEqual({ program: "xdg-open", args: [URL] })
  // `cmd` would end the address at its `&`, and run the rest.
  expect(openerFor("win32", URL)).toEqual({ program: "rundll32", args: ["url.dll,FileProtocolHandler", URL] })
  const mac = openerFor("darwin", URL)
  expect(mac?.args.join(" ")).not.toContain("secret")
  expect(mac?.input).toBe(`open location "${URL}"\n`)
  expect(openerFor("openbsd", URL)).toBeUndefined()
})
