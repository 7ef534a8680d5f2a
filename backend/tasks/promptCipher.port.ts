/** Which text a ciphertext holds. It is authenticated: a ciphertext of another task or user does not decrypt. */
export type AboutText = Readonly<{ purpose: string; userId: string; row: string }>

/** Decrypts a prompt. Returns undefined if that is not possible. */
export type Decrypt = (about: AboutText, sealed: string) => Promise<string | undefined>

export const aboutNegativePrompt = (userId: string, taskId: string): AboutText => ({
  purpose: 'negative prompt',
  userId,
  row: taskId,
})

export const aboutPrompt = (userId: string, taskId: string): AboutText => ({ purpose: 'prompt', userId, row: taskId })
