import { POLICIES, WORKFLOWS } from '../all.ts'
import { generateVideo } from '../tasks/generateVideo.workflow.ts'
import { host } from '../temporal/host.ts'

/** The `generateVideo` body with two steps swapped, so that replaying the recorded histories fails. */
const changed: typeof generateVideo = {
  ...generateVideo,
  async run({ activities: act }, input) {
    if ((await act.claimSlot(input)) === 'claimed') {
      await act.render(input)
      await act.store(input)
    }
    await act.releaseSlot(input)
    await act.settleCredits(input)
  },
}

export default host([...WORKFLOWS, changed], POLICIES)
