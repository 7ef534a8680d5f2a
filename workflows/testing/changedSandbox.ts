import { WORKFLOWS } from '../all.ts'
import type { Workflow } from '../engine/engine.port.ts'
import { policies } from '../policies.ts'
import type { GenerateVideoActivities, GenerateVideoInput } from '../tasks/generateVideo.workflow.ts'
import { host } from '../temporal/host.ts'

/** The body with two steps the other way round: histories of the real one cannot be told by it. */
const generateVideo: Workflow<GenerateVideoActivities, GenerateVideoInput> = async ({ activities: act }, input) => {
  if ((await act.claimSlot(input)) === 'claimed') {
    await act.render(input)
    await act.store(input)
  }
  await act.releaseSlot(input)
  await act.settleCredits(input)
}

export default host({ ...WORKFLOWS, generateVideo }, policies)
