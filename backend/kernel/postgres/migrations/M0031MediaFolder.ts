import { Migration } from '@mikro-orm/migrations'

export class M0031MediaFolder extends Migration {
  override up(): void {
    this.addSql('create table media_folder (one boolean primary key default true check (one), mark uuid not null)')
  }
}
