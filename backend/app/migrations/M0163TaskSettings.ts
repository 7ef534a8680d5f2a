import { Migration } from '@mikro-orm/migrations'

/** Optional settings of tasks. Rows that predate them are filled by the rebuild of version 3. */
export class M0163TaskSettings extends Migration {
  override up(): void {
    this.addSql(`
      alter table video_task
        add last_frame uuid, add reference_images jsonb, add aspect_ratio text, add seed int,
        add encrypted_negative_prompt text, add sound boolean;
      create index video_task_last_frame on video_task (last_frame) where last_frame is not null;
      create index video_task_references on video_task using gin (reference_images jsonb_path_ops)
        where reference_images is not null;
    `)
  }
}
