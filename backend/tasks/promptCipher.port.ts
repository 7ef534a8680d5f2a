/** Which text a ciphertext holds. It is authenticated: a ciphertext of another task or user does not decrypt. */
export type AboutText = Readonly<{
  purpose: string
  /** The user, or the team, whose key encrypts it. */
  userId: string
  row: string
  /** The account with whose erasure the key is destroyed, if it is another than `userId`. */
  owner?: string
}>

/** Decrypts a prompt. Returns undefined if that is not possible. */
export type Decrypt = (about: AboutText, sealed: string) => Promise<string | undefined>

/** Who made a film, and the team that paid for it, if one did: its texts are encrypted with the key of the team. */
type Maker = Readonly<{ userId: string; teamId?: string | null; payerId?: string | null }>

const about =
  (purpose: string) =>
  ({ userId, teamId, payerId }: Maker, row: string): AboutText =>
    teamId ? { purpose, userId: teamId, row, owner: payerId ?? userId } : { purpose, userId, row }

export const aboutNegativePrompt = about('negative prompt')

export const aboutPrompt = about('prompt')
