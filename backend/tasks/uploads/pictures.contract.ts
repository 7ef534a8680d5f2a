import * as z from 'zod/mini'
import { endpoint } from '../../kernel/http/contract.ts'
import { FolderName } from '../library/library.contract.ts'

const Picture = z.object({
  id: z.string(),
  image_url: z.string(),
  /** A picture with a name is kept until it is deleted, others for a day or as long as a video uses them. */
  name: z.nullable(z.string()),
  created_at: z.string(),
})
export type Picture = z.infer<typeof Picture>

export const listPictures = endpoint('GET /videos/images', {
  access: 'user',
  scope: 'videos:read',
  answer: z.object({ pictures: z.array(Picture) }),
  summary: "The user's uploaded pictures, newest first, to be chosen again as frames and references",
})

export const namePicture = endpoint('PUT /videos/images/:id', {
  access: 'user',
  body: z.object({ name: z.nullable(FolderName) }),
  refuses: ['not_found'],
  status: 204,
  summary: 'Keeps an uploaded picture under a name, or no longer',
})
