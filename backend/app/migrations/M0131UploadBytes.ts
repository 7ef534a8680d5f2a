import { Migration } from '@mikro-orm/migrations'

/** Size of each stored picture, for the limit of unused ones per user. Earlier pictures count as empty. */
export class M0131UploadBytes extends Migration {
  override up(): void {
    this.addSql('alter table image_upload add column bytes int not null default 0')
    this.addSql('create index image_upload_user on image_upload (user_id)')
  }
}
