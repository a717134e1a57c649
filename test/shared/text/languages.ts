export const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  English: [
    "We chose cookies over local storage for the session token, because scripts of third parties cannot read them.",
    "The nightly job fails when two imports run at once; the second one waits for a lock that nobody releases.",
    "Retries with a fixed delay made the outage worse. Use exponential backoff with jitter instead.",
  ],
  German: [
    "Wir haben uns für Cookies statt des lokalen Speichers entschieden, weil fremde Skripte sie nicht auslesen können.",
    "Der nächtliche Lauf scheitert, wenn zwei Importe gleichzeitig arbeiten; der zweite wartet auf eine Sperre, die niemand freigibt.",
    "Die Rechnungsnummern müssen lückenlos sein, sonst lehnt das Finanzamt die Umsatzsteuervoranmeldung ab.",
  ],
  Dutch: [
    "We kozen voor cookies in plaats van lokale opslag, omdat scripts van derden ze niet kunnen uitlezen.",
    "De nachtelijke taak mislukt wanneer twee importen tegelijk draaien; de tweede wacht op een vergrendeling die niemand vrijgeeft.",
    "Factuurnummers moeten opeenvolgend zijn, anders keurt de belastingdienst de aangifte af.",
  ],
  Finnish: [
    "Valitsimme evästeet paikallisen tallennustilan sijaan, koska kolmannen osapuolen skriptit eivät pysty lukemaan niitä.",
    "Yöllinen ajo epäonnistuu, kun kaksi tuontia on käynnissä yhtä aikaa; toinen odottaa lukkoa, jota kukaan ei vapauta.",
    "Laskunumeroiden on oltava juoksevia, muuten verottaja hylkää arvonlisäveroilmoituksen.",
  ],
  Polish: [
    "Wybraliśmy ciasteczka zamiast pamięci lokalnej, ponieważ obce skrypty nie mogą ich odczytać.",
    "Nocne zadanie kończy się błędem, gdy dwa importy działają jednocześnie; drugi czeka na blokadę, której nikt nie zwalnia.",
    "Numery faktur muszą być ciągłe, w przeciwnym razie urząd skarbowy odrzuci deklarację podatkową.",
  ],
  Indonesian: [
    "Kami memilih kuki daripada penyimpanan lokal karena skrip pihak ketiga tidak dapat membacanya.",
    "Tugas malam hari gagal ketika dua impor berjalan bersamaan; yang kedua menunggu kunci yang tidak pernah dilepaskan.",
    "Nomor faktur harus berurutan tanpa celah, jika tidak kantor pajak akan menolak laporannya.",
  ],
  Russian: [
    "Мы выбрали куки вместо локального хранилища, потому что сторонние скрипты не могут их прочитать.",
    "Ночная задача падает, когда два импорта выполняются одновременно; второй ждёт блокировку, которую никто не снимает.",
    "Номера счетов должны идти подряд, иначе налоговая инспекция отклонит декларацию.",
  ],
  Arabic: [
    "اخترنا ملفات تعريف الارتباط بدلاً من التخزين المحلي لأن البرامج النصية الخارجية لا تستطيع قراءتها.",
    "تفشل المهمة الليلية عندما تعمل عمليتا استيراد في الوقت نفسه، إذ تنتظر الثانية قفلاً لا يحرره أحد.",
    "يجب أن تكون أرقام الفواتير متسلسلة دون فجوات وإلا رفضت مصلحة الضرائب الإقرار.",
  ],
  Hindi: [
    "हमने स्थानीय भंडारण के बजाय कुकी चुनी क्योंकि बाहरी स्क्रिप्ट उन्हें पढ़ नहीं सकतीं।",
    "रात का काम तब विफल होता है जब दो आयात एक साथ चलते हैं; दूसरा उस ताले की प्रतीक्षा करता है जिसे कोई नहीं खोलता।",
    "चालान संख्याएँ लगातार होनी चाहिए, अन्यथा कर विभाग विवरणी अस्वीकार कर देगा।",
  ],
  Thai: [
    "เราเลือกใช้คุกกี้แทนที่เก็บข้อมูลในเครื่อง เพราะสคริปต์จากภายนอกอ่านไม่ได้",
    "งานตอนกลางคืนล้มเหลวเมื่อมีการนำเข้าสองรายการพร้อมกัน รายการที่สองรอการล็อกที่ไม่มีใครปลด",
    "เลขที่ใบแจ้งหนี้ต้องเรียงต่อกันโดยไม่มีช่องว่าง มิฉะนั้นกรมสรรพากรจะปฏิเสธแบบแสดงรายการ",
  ],
  Chinese: [
    "我们选择使用 Cookie 而不是本地存储，因为第三方脚本无法读取它们。",
    "当两个导入任务同时运行时，夜间作业会失败；第二个任务会一直等待没有人释放的锁。",
    "发票号码必须连续，不能有空缺，否则税务局会拒绝申报。",
  ],
  Japanese: [
    "第三者のスクリプトから読み取れないように、ローカルストレージではなくクッキーを選びました。",
    "二つのインポートが同時に動くと夜間の処理が失敗します。二つ目は誰も解放しないロックを待ち続けます。",
    "請求書の番号は連番でなければならず、そうでないと税務署に申告を却下されます。",
  ],
  Korean: [
    "외부 스크립트가 읽을 수 없도록 로컬 저장소 대신 쿠키를 선택했습니다.",
    "두 개의 가져오기가 동시에 실행되면 야간 작업이 실패합니다. 두 번째 작업은 아무도 풀지 않는 잠금을 기다립니다.",
    "송장 번호는 빈 번호 없이 이어져야 하며 그렇지 않으면 세무서가 신고를 거부합니다.",
  ],
  Turkish: [
    "Üçüncü taraf betikler okuyamadığı için yerel depolama yerine çerezleri seçtik.",
    "İki içe aktarma aynı anda çalıştığında gece görevi başarısız oluyor; ikincisi kimsenin bırakmadığı bir kilidi bekliyor.",
    "Fatura numaraları boşluksuz ilerlemelidir, yoksa vergi dairesi beyannameyi reddeder.",
  ],
  Greek: [
    "Επιλέξαμε τα cookies αντί για την τοπική αποθήκευση, επειδή τα ξένα σενάρια δεν μπορούν να τα διαβάσουν.",
    "Η νυχτερινή εργασία αποτυγχάνει όταν δύο εισαγωγές εκτελούνται ταυτόχρονα.",
    "Οι αριθμοί των τιμολογίων πρέπει να είναι συνεχόμενοι, αλλιώς η εφορία απορρίπτει τη δήλωση.",
  ],
  Hebrew: [
    "בחרנו בעוגיות במקום באחסון מקומי, כי סקריפטים חיצוניים אינם יכולים לקרוא אותן.",
    "המשימה הלילית נכשלת כאשר שני ייבואים רצים בו זמנית; השני ממתין לנעילה שאיש אינו משחרר.",
    "מספרי החשבוניות חייבים להיות רציפים, אחרת רשות המסים תדחה את הדיווח.",
  ],
  Vietnamese: [
    "Chúng tôi chọn cookie thay vì bộ nhớ cục bộ vì các đoạn mã bên ngoài không thể đọc được.",
    "Tác vụ ban đêm thất bại khi hai lần nhập chạy cùng lúc; lần thứ hai chờ một khóa không ai mở.",
    "Số hóa đơn phải liên tục, nếu không cơ quan thuế sẽ từ chối tờ khai.",
  ],
}
