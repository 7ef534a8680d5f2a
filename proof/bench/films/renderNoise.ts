import { runFfmpeg } from '#backend/kernel/media/ffmpeg.ts'

/** Renders a clip with moving noise, which keeps the given rate. */
export async function renderNoise(
  out: string,
  { size, seconds, megabits }: Readonly<{ size: string; seconds: number; megabits: number }>,
): Promise<void> {
  const noisy = `testsrc2=s=${size}:r=24:d=${seconds},noise=alls=12:allf=t`
  const rate = ['-b:v', `${megabits}M`, '-minrate', `${megabits}M`, '-maxrate', `${megabits}M`, '-bufsize', '2M']
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...rate]
  await runFfmpeg(['-f', 'lavfi', '-i', noisy, ...codec, out])
}
