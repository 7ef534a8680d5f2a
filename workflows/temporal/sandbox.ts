import { POLICIES, WORKFLOWS } from '../all.ts'
import { host } from './host.ts'

/** What the bundle begins with: Temporal gives every workflow, whatever its name, to a module's default export. */
export default host(WORKFLOWS, POLICIES)
