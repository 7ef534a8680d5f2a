import { POLICIES, WORKFLOWS } from '../all.ts'
import { host } from './host.ts'

/** Entry point of the bundle. Temporal calls the default export for workflows of every type. */
export default host(WORKFLOWS, POLICIES)
