import { host } from '../temporal/host.ts'
import { CONTRACT_BODIES, contractPolicies } from './contractBodies.ts'

/** What the bundle of the contract's bodies begins with. */
export default host(CONTRACT_BODIES, contractPolicies)
