import { endShare, getShare, type Share, shareTask } from '#backend/tasks/contract.ts'
import { call } from './api.ts'

/** What the public page of a video shows. */
export type Shown = Readonly<{ show_prompt: boolean; show_name: boolean }>

/** Shares a video, or changes what its page shows. @throws ApiError */
export const shareVideo = (id: string, shown: Partial<Shown> = {}): Promise<Share> =>
  call(shareTask, { params: { id }, body: shown })

/** Returns the share of a video, or null if it is not shared. @throws ApiError */
export const readShare = async (id: string): Promise<Share | null> => (await call(getShare, { params: { id } })).share

/** Ends the share of a video. @throws ApiError */
export async function unshareVideo(id: string): Promise<void> {
  await call(endShare, { params: { id } })
}
