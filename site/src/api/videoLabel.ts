import { atom, computed } from 'nanostores'
import { status } from '#backend/kernel/http/contract.ts'
import { requestUnlabelled, type Task } from '#backend/tasks/contract.ts'
import { call } from './api.ts'
import { once } from './once.ts'
import { $session } from './session.ts'
import { downloadVideo } from './taskActions.ts'

export const $labelPolicy = atom<'auto' | 'always' | 'never'>('never')

/** Whether the user's downloads have a visible label. False until the policy is known. */
export const $labelled = computed([$labelPolicy, $session], (policy, session) =>
  policy === 'auto' ? session.status === 'in' && session.user.language === 'zh' : policy === 'always',
)

/** Loads which downloads this installation labels, once per page. */
export const loadLabelPolicy = once(() =>
  call(status).then(
    ({ video_label }) => $labelPolicy.set(video_label),
    () => {},
  ),
)

/** Records that the user accepts the responsibility for a video without the label, and downloads it. @throws ApiError */
export async function downloadUnlabelled(task: Task): Promise<void> {
  await call(requestUnlabelled, { params: { id: task.id }, body: { accepted: true } })
  await downloadVideo(task, { label: false })
}
