/**
 * Words that mean only "it is done". A comment of only these words is rejected; one other word makes it an
 * account. So words that name a subject (step, test, file, checked, verified) are not listed. By language
 * tag; languages without spaces list whole forms, which may also be joined.
 */
export const FILLER_WORDS: Record<string, string> = {
  en: `i ok okay okey oki kk yes yep yeah yup no nope sure fine good great nice cool perfect excellent awesome super
    done complete completed completely finished finish success successful successfully succeeded fully all everything
    it its is was are were be been has have had ive im we weve did do does just now already very well so and the this
    that there here thing things thank thanks thankyou you please lgtm looks look go going works work worked working
    ready right alright true correct yay wow`,
  none: `n a na none null nil nothing undefined todo tbd wip xxx blah foo bar baz qux asdf asdfg asdfgh asdfjkl qwert
    qwerty lorem ipsum placeholder filler dummy test testing comment abc abcd abcde`,
  de: `ja nein gut alles klar fertig erledigt gemacht getan passt ist sind war wurde wurden hat habe ich es und das
    schon jetzt erfolgreich abgeschlossen bereit danke prima toll geht so weit soweit in ordnung`,
  fr: `oui non bon bien tout tous est ete cest a fait fini termine terminee accord daccord reussi succes avec parfait
    merci marche ca va pret jai et le la`,
  es: `si bien bueno todo esta fue ha sido hecho listo terminado terminada completo completado completada vale exito
    con exitosamente gracias ya perfecto y de acuerdo`,
  pt: `sim nao bem tudo certo foi esta feito pronto concluido concluida terminado sucesso com obrigado obrigada
    perfeito e ja`,
  it: `si no va bene tutto e stato fatto finito completato completata posto successo con grazie perfetto ho gia`,
  nl: `ja nee goed alles is klaar gedaan gereed prima afgerond voltooid het en`,
  pl: `tak nie dobrze wszystko jest gotowe zrobione wykonane zakonczone ukonczone i`,
  tr: `evet hayir tamam tamamlandi bitti yapildi iyi her sey oldu`,
  ru: `да нет хорошо все всё готово сделано сделал сделала выполнено выполнил выполнила завершено закончено успешно
    ок окей ладно понятно спасибо и уже было`,
  uk: `так ні добре все готово зроблено виконано завершено успішно дякую і`,
  ja: `はい いいえ ええ うん ok オーケー オッケー おけ 了解 承知 です ます でした しました した いたしました 致しました
    されました された 完了 終了 終わり 終わりました 終わった おわり おわりました できました できた 出来ました 出来た
    やりました やった 済み 済 すみ 済みました 大丈夫 問題 なし ない ありません ないです よし いい 良い 良し よい 成功
    すべて 全て 全部 ぜんぶ みんな もう 無事 無事に に が は を も の と`,
  zh: `是 是的 否 好 好的 好了 行 对 對 可以 完成 已完成 完成了 做完 做完了 完毕 完畢 结束 結束 搞定 搞定了 成功 了 已 已经
    已經 都 全部 一切 所有 正常 没问题 沒問題 没有 沒有 问题 問題 收到 谢谢 謝謝`,
  ko: `네 예 아니요 응 좋아요 좋습니다 완료 완료됨 완료했습니다 완료했어요 완료되었습니다 완료됐습니다 끝 끝났습니다
    끝났어요 끝냈습니다 됐습니다 됐어요 되었습니다 했습니다 했어요 성공 성공했습니다 모두 모든 다 전부 문제 없음
    없습니다 문제없음 문제없습니다 이미 잘`,
  ar: `نعم لا تم حسنا جيد ممتاز انتهى انتهيت كل شيء بنجاح تمام شكرا`,
  hi: `हाँ हां नहीं ठीक है हो गया गयी गई सब पूरा पूर्ण किया कर दिया`,
  id: `ya tidak baik oke sudah selesai semua semuanya beres berhasil terima kasih`,
  vi: `vâng có không tốt xong rồi đã hoàn thành tất cả`,
  th: `ใช่ ไม่ โอเค เสร็จ เสร็จแล้ว เรียบร้อย เรียบร้อยแล้ว แล้ว ครับ ค่ะ สำเร็จ ทั้งหมด ดี`,
};
