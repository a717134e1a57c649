import { render } from "preact"
import { App } from "./shell/app.tsx"
import { followProject } from "./shell/follow.ts"
import { readKeys } from "./shell/keys.ts"

readKeys()
followProject()
render(<App />, document.body)
